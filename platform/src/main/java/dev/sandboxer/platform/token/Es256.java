package dev.sandboxer.platform.token;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;

/**
 * ECDSA over P-256 in JOSE's form: 64 bytes, r and s. Only the lower of the two values that s can
 * have is made and taken, so that nobody can derive a second valid token from a first.
 */
final class Es256 {

  static final int SIGNATURE_BYTES = 64;

  private static final int HALF = SIGNATURE_BYTES / 2;
  static final String ALGORITHM = "SHA256withECDSAinP1363Format";
  private static final BigInteger ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
  private static final BigInteger HALF_ORDER = ORDER.shiftRight(1);

  private Es256() {}

  static boolean verify(PublicKey key, byte[] input, byte[] signature) {
    if (!inRange(signature)) {
      return false;
    }
    try {
      Signature check = Signature.getInstance(ALGORITHM);
      check.initVerify(key);
      check.update(input);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Whether it can be a signature at all, which costs no computation on the curve. */
  static boolean inRange(byte[] signature) {
    if (signature.length != SIGNATURE_BYTES) {
      return false;
    }
    BigInteger r = r(signature);
    BigInteger s = s(signature);
    return r.signum() > 0
        && r.compareTo(ORDER) < 0
        && s.signum() > 0
        && s.compareTo(HALF_ORDER) <= 0;
  }

  /** The same token with the lower s. */
  static String withLowS(String token) {
    int from = token.lastIndexOf('.') + 1;
    byte[] signature = Base64.getUrlDecoder().decode(token.substring(from));
    return token.substring(0, from)
        + Base64.getUrlEncoder().withoutPadding().encodeToString(withLowS(signature));
  }

  static byte[] withLowS(byte[] signature) {
    BigInteger s = s(signature);
    if (s.compareTo(HALF_ORDER) <= 0) {
      return signature;
    }
    byte[] low = ORDER.subtract(s).toByteArray();
    Arrays.fill(signature, HALF, SIGNATURE_BYTES, (byte) 0);
    int from = Math.max(0, low.length - HALF);
    int length = low.length - from;
    System.arraycopy(low, from, signature, SIGNATURE_BYTES - length, length);
    return signature;
  }

  private static BigInteger r(byte[] signature) {
    return new BigInteger(1, signature, 0, HALF);
  }

  private static BigInteger s(byte[] signature) {
    return new BigInteger(1, signature, HALF, HALF);
  }
}
