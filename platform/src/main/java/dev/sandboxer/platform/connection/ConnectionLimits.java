package dev.sandboxer.platform.connection;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * What connections may cost before anybody knows whose they are.
 *
 * @param open connections at once, of all clients
 * @param silent connections of one address on which no head was complete yet
 * @param head from the first byte of a request's head to its end
 * @param late how long the rest of a body is read after the reply
 * @param lateBytes how much of it
 * @param aheadBytes what a client may send on a connection before its request was answered, without
 *     anybody reading a body
 */
record ConnectionLimits(
    int open, int silent, Duration head, Duration late, long lateBytes, long aheadBytes) {

  private static final int LEAST_OPEN = 64;
  private static final long LEAST_RESERVE = 128;
  private static final long RESERVED_PART = 8;

  /** Vert.x keeps up to some ten reads of a paused request, of at most 64 KiB each. */
  private static final long LARGE_READS_BYTES = 1 << 20;

  /** What the platform uses, with the descriptors that this process may open. */
  static ConnectionLimits usual() {
    return new ConnectionLimits(
        openFor(descriptors()),
        256,
        Duration.ofSeconds(10),
        Duration.ofSeconds(5),
        64L << 20,
        128L << 10);
  }

  /** The same where {@link ReadSize} cannot be put in place, so that reads are never small. */
  ConnectionLimits withLargeReads() {
    return new ConnectionLimits(open, silent, head, late, lateBytes, LARGE_READS_BYTES);
  }

  /**
   * A part of the descriptors is the platform's own: database, logs, backends. Of the others each
   * connection may need a second one, to boxd.
   */
  static int openFor(long descriptors) {
    long reserved = Math.max(LEAST_RESERVE, descriptors / RESERVED_PART);
    return Math.clamp((descriptors - reserved) / 2, LEAST_OPEN, Integer.MAX_VALUE);
  }

  private static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : 1024;
  }
}
