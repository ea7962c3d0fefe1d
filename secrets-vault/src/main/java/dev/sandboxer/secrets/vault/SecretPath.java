package dev.sandboxer.secrets.vault;

import dev.sandboxer.spi.secret.SecretException;
import java.util.Optional;

/**
 * Where a value is.
 *
 * @param mount of the KV engine
 * @param path of the secret in it
 * @param key of the value in the secret
 */
record SecretPath(String mount, String path, String key) {

  private static final String USUAL_KEY = "value";

  /**
   * Reads what follows the store's name in a reference.
   *
   * @param text such as {@code kv/api#token}
   * @param mount of the store; empty if the text begins with it
   */
  static SecretPath of(String text, Optional<String> mount) throws SecretException {
    int hash = text.indexOf('#');
    String key = hash < 0 ? USUAL_KEY : text.substring(hash + 1);
    String whole = hash < 0 ? text : text.substring(0, hash);
    if (mount.isPresent()) {
      return new SecretPath(mount.get(), whole, key);
    }
    int slash = whole.indexOf('/');
    if (slash < 0) {
      throw SecretException.missing(
          "'%s' must be MOUNT/PATH#KEY, such as kv/api#token".formatted(text));
    }
    return new SecretPath(whole.substring(0, slash), whole.substring(slash + 1), key);
  }

  /** As the API has it. */
  String data() {
    return mount + "/data/" + path;
  }

  @Override
  public String toString() {
    return mount + "/" + path;
  }
}
