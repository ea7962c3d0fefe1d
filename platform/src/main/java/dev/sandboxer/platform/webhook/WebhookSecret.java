package dev.sandboxer.platform.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a webhook is signed with: {@code whsec_} and base64 of 24 to 64 bytes. */
public final class WebhookSecret {

  /** What a text must be, for a person. */
  public static final String WANTED = "whsec_ and base64 of 24 to 64 bytes";

  private static final String PREFIX = "whsec_";
  private static final int FEWEST = 24;
  private static final int MOST = 64;
  private static final int MADE = 32;

  private final byte[] key;

  private WebhookSecret(byte[] key) {
    this.key = key;
  }

  /**
   * Makes one.
   *
   * @param random source
   * @return of 32 bytes
   */
  static WebhookSecret make(SecureRandom random) {
    byte[] key = new byte[MADE];
    random.nextBytes(key);
    return new WebhookSecret(key);
  }

  /**
   * Reads one.
   *
   * @param text as {@link #text()} gives it
   * @return the secret
   * @throws IllegalArgumentException if it is none; the message does not contain it
   */
  public static WebhookSecret parse(String text) {
    if (text.startsWith(PREFIX)) {
      byte[] key = decoded(text.substring(PREFIX.length()));
      if (key.length >= FEWEST && key.length <= MOST) {
        return new WebhookSecret(key);
      }
    }
    throw new IllegalArgumentException("it must be " + WANTED);
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("it must be " + WANTED, e);
    }
  }

  /**
   * The secret itself.
   *
   * @return {@code whsec_...}
   */
  public String text() {
    return PREFIX + Base64.getEncoder().encodeToString(key);
  }

  /**
   * Signs a message, as Standard Webhooks says.
   *
   * @param id of the message
   * @param timestamp of the try, in seconds
   * @param body as sent
   * @return {@code v1,} and base64 of HMAC-SHA256
   */
  String sign(String id, long timestamp, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      String signed = id + "." + timestamp + "." + body;
      return "v1,"
          + Base64.getEncoder()
              .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** Not the secret, so that no log has it. */
  @Override
  public String toString() {
    return PREFIX + "...";
  }
}
