package dev.sandboxer.platform.id;

import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;

/** Makes and reads ids: a prefix, a letter and 19 of {@code [a-z0-9]}. */
@ApplicationScoped
public class Ids {

  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String ALL = LETTERS + "0123456789";
  private static final int LENGTH = 20;
  private static final Pattern SANDBOX = Pattern.compile("sb_([a-z][a-z0-9]{19})");

  private final SecureRandom random = new SecureRandom();

  /**
   * Makes the raw form.
   *
   * @return a letter and 19 of {@code [a-z0-9]}, unguessable
   */
  public String raw() {
    StringBuilder text = new StringBuilder(LENGTH);
    text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    while (text.length() < LENGTH) {
      text.append(ALL.charAt(random.nextInt(ALL.length())));
    }
    return text.toString();
  }

  /**
   * Makes an id with a prefix.
   *
   * @param prefix such as {@code evt}
   * @return such as {@code evt_a1...}
   */
  public String make(String prefix) {
    return prefix + "_" + raw();
  }

  /**
   * Reads a sandbox's id.
   *
   * @param publicId such as {@code sb_a1...}
   * @return the raw id, empty if the text is no such id
   */
  public static Optional<String> sandbox(String publicId) {
    var match = SANDBOX.matcher(publicId);
    return match.matches() ? Optional.of(match.group(1)) : Optional.empty();
  }
}
