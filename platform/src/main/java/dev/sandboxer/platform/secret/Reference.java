package dev.sandboxer.platform.secret;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a secret is.
 *
 * @param store {@code env}, {@code file}, or the name of a store of the operator's
 * @param path there; no segment leads up, so a prefix that was granted holds
 */
public record Reference(String store, String path) {

  /** Variables of the platform's environment. */
  public static final String ENV = "env";

  /** Files of the tenant's folder in the home. */
  public static final String FILE = "file";

  private static final Pattern FORM =
      Pattern.compile("([a-z][a-z0-9-]{0,39}):(\\w[\\w.-]*(?:/\\w[\\w.-]*)*(?:#\\w[\\w.-]*)?)");

  private static final int LONGEST = 512;

  /**
   * Reads one.
   *
   * @param text such as {@code env:API_TOKEN}, {@code file:api-token} or {@code
   *     openbao:kv/api#token}
   * @return the reference
   * @throws IllegalArgumentException if the text is not a reference; the message says what one is
   */
  public static Reference parse(String text) {
    Matcher match = FORM.matcher(text);
    if (text.length() > LONGEST || !match.matches()) {
      throw new IllegalArgumentException(
          "'%.100s' must name a secret, never be one: env:NAME, file:NAME, or a store and a path such as openbao:kv/api#token"
              .formatted(text));
    }
    Reference reference = new Reference(match.group(1), match.group(2));
    if (reference.builtIn() && !reference.path.matches("[\\w.-]+")) {
      throw new IllegalArgumentException(
          "'%.100s' must be %s:NAME with a name of letters, digits, '_', '-' and '.'"
              .formatted(text, reference.store));
    }
    return reference;
  }

  private boolean builtIn() {
    return store.equals(ENV) || store.equals(FILE);
  }

  @Override
  public String toString() {
    return store + ":" + path;
  }
}
