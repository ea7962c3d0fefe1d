package dev.sandboxer.platform.id;

import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;

/** Makes ids: a prefix, a letter and 19 of {@code [a-z0-9]}. */
@ApplicationScoped
public class Ids {

  /** Of the part after the prefix. */
  static final int LENGTH = 20;

  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String ALL = LETTERS + "0123456789";

  private final SecureRandom random = new SecureRandom();

  /**
   * Makes a sandbox's id.
   *
   * @return unguessable
   */
  public SandboxId sandbox() {
    return new SandboxId(raw());
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

  /** A letter and 19 of {@code [a-z0-9]}, unguessable. */
  private String raw() {
    StringBuilder text = new StringBuilder(LENGTH);
    text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    while (text.length() < LENGTH) {
      text.append(ALL.charAt(random.nextInt(ALL.length())));
    }
    return text.toString();
  }
}
