package dev.sandboxer.platform.token;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;

/** Ids of tokens: ordered by time, the rest random (RFC 9562). */
final class UuidV7 {

  private static final long VERSION = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;

  UuidV7(InstantSource clock) {
    this.clock = clock;
  }

  String next() {
    long high = (clock.millis() << 16) | VERSION | (random.nextInt() & 0x0fffL);
    long low = VARIANT | (random.nextLong() >>> 2);
    return new UUID(high, low).toString();
  }
}
