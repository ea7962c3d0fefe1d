package dev.sandboxer.platform.sandbox;

import java.util.regex.Pattern;

/**
 * The id of a backend.
 *
 * @param text {@code ext.<name>}
 */
public record ExtensionId(String text) {

  private static final Pattern FORM = Pattern.compile("ext\\.[a-z0-9][a-z0-9-]{0,39}");

  /** Checks the form; {@link IllegalArgumentException} names what is wrong. */
  public ExtensionId {
    if (!FORM.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "extension id '" + text + "' must be ext.<name>, lower case letters, digits and dashes");
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
