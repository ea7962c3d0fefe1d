package dev.sandboxer.platform.installation;

import dev.sandboxer.spi.SandboxIdentity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Signs and checks the label of every backend object. Usable from any thread. */
public final class IdentitySigner {

  private final SecretKey key;

  IdentitySigner(SecretKey key) {
    this.key = key;
  }

  /**
   * Signs.
   *
   * @param identity of the object
   * @return HMAC-SHA256 over all its parts, 64 hexadecimal digits
   */
  public String sign(SandboxIdentity identity) {
    // No part can hold a line feed, so the text is unambiguous.
    String text =
        String.join(
            "\n",
            "v1",
            identity.installation(),
            identity.sandbox(),
            Integer.toString(identity.generation()),
            Integer.toString(identity.attempt()));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK cannot compute HMAC-SHA256", e);
    }
  }

  /**
   * Checks in constant time.
   *
   * @param identity read from an object
   * @param signature read from the same object
   * @return whether {@link #sign} gave that signature
   */
  public boolean verify(SandboxIdentity identity, String signature) {
    return MessageDigest.isEqual(
        sign(identity).getBytes(StandardCharsets.UTF_8),
        signature.getBytes(StandardCharsets.UTF_8));
  }
}
