package dev.sandboxer.platform.token;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * ECDSA over P-256 in JOSE's form: 64 bytes, r and s. Only the lower of the two values that s can
 * have is made and taken, so that nobody can derive a second valid token from a first. The JDK
 * computes until a faster provider was found.
 */
final class Es256 {

  static final int SIGNATURE_BYTES = 64;

  private static final int HALF = SIGNATURE_BYTES / 2;
  private static final String ALGORITHM = "SHA256withECDSAinP1363Format";
  private static final BigInteger ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
  private static final BigInteger HALF_ORDER = ORDER.shiftRight(1);

  private volatile @Nullable Provider faster;

  /**
   * From now on lets this provider compute.
   *
   * @throws GeneralSecurityException when it and the JDK's do not take each other's signatures
   */
  void take(Provider provider) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair keys = generator.generateKeyPair();
    byte[] input = ALGORITHM.getBytes(StandardCharsets.US_ASCII);
    Es256 other = new Es256();
    other.faster = provider;
    byte[] mine = sign(keys.getPrivate(), input);
    byte[] its = other.sign(keys.getPrivate(), input);
    if (!other.verify(keys.getPublic(), input, mine) || !verify(keys.getPublic(), input, its)) {
      throw new SignatureException(provider.getName() + " makes other signatures than the JDK");
    }
    faster = provider;
  }

  /** The name of the provider that computes. */
  String computedBy() {
    try {
      return signature().getProvider().getName();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK can not sign with ES256", e);
    }
  }

  private Signature signature() throws NoSuchAlgorithmException {
    Provider provider = faster;
    return provider == null
        ? Signature.getInstance(ALGORITHM)
        : Signature.getInstance(ALGORITHM, provider);
  }

  byte[] sign(PrivateKey key, byte[] input) {
    try {
      Signature signature = signature();
      signature.initSign(key);
      signature.update(input);
      return withLowS(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK can not sign with ES256", e);
    }
  }

  boolean verify(PublicKey key, byte[] input, byte[] signature) {
    if (!inRange(signature)) {
      return false;
    }
    try {
      Signature check = signature();
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

  private static byte[] withLowS(byte[] signature) {
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
