package dev.sandboxer.platform.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The text of a key: {@code sbxk_}, 19 hexadecimal digits of its id, 64 of its secret. Only its
 * SHA-256 is stored.
 */
final class KeySecret {

  private static final Pattern FORM = Pattern.compile("sbxk_([0-9a-f]{19})([0-9a-f]{64})");
  private static final int RANDOM_BYTES = 42;
  private static final int ID_DIGITS = 19;

  private final String text;
  private final String id;

  private KeySecret(String text, String id) {
    this.text = text;
    this.id = id;
  }

  static KeySecret make(SecureRandom random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    String digits = HexFormat.of().formatHex(bytes).substring(0, ID_DIGITS + 64);
    return new KeySecret("sbxk_" + digits, id(digits.substring(0, ID_DIGITS)));
  }

  static Optional<KeySecret> parse(String text) {
    var match = FORM.matcher(text);
    return match.matches()
        ? Optional.of(new KeySecret(text, id(match.group(1))))
        : Optional.empty();
  }

  String id() {
    return id;
  }

  String text() {
    return text;
  }

  byte[] hash() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String id(String digits) {
    return "key_k" + digits;
  }
}
