package dev.sandboxer.tck;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.SandboxIdentity;
import java.math.BigInteger;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;

/** The configuration that boxd gets, with a key that nobody signs with. */
final class BoxdConfig {
  private static final int COORDINATE_BYTES = 32;

  private final ECPublicKey key = key();

  byte[] of(SandboxIdentity identity, Duration deadline) {
    return """
        {"installation":"%s","sandbox_id":"%s","generation":%d,"issuer":"urn:sandboxer:%s",
         "keys":{"keys":[{"kty":"EC","crv":"P-256","kid":"tck","x":"%s","y":"%s"}]},
         "deadline_seconds":%d}
        """
        .formatted(
            identity.installation(),
            identity.publicId(),
            identity.generation(),
            identity.installation(),
            coordinate(key.getW().getAffineX()),
            coordinate(key.getW().getAffineY()),
            deadline.toSeconds())
        .getBytes(UTF_8);
  }

  private static ECPublicKey key() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(COORDINATE_BYTES * Byte.SIZE);
      return (ECPublicKey) generator.generateKeyPair().getPublic();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has elliptic curves", e);
    }
  }

  private static String coordinate(BigInteger value) {
    byte[] digits = value.toByteArray(); // may have a leading zero for the sign, or be short
    byte[] padded = new byte[COORDINATE_BYTES];
    int length = Math.min(digits.length, COORDINATE_BYTES);
    byte[] tail = Arrays.copyOfRange(digits, digits.length - length, digits.length);
    System.arraycopy(tail, 0, padded, COORDINATE_BYTES - length, length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(padded);
  }
}
