package dev.sandboxer.platform.host;

import java.util.Locale;

/** Whether a host takes new sandboxes. */
public enum Admission {
  /** It does. */
  OPEN,
  /** It does not; what runs there goes on. */
  CORDONED,
  /** It does not; what runs there ends or moves. */
  DRAINING;

  /**
   * Its form in the database and in replies.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Admission of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
