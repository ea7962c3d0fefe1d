package dev.sandboxer.platform.id;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256. */
public final class Sha256 {

  private Sha256() {}

  /**
   * Hashes bytes.
   *
   * @param bytes any
   * @return 32 bytes
   */
  public static byte[] of(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Hashes a text's UTF-8.
   *
   * @param text any
   * @return 32 bytes
   */
  public static byte[] of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }
}
