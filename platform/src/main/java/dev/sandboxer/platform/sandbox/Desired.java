package dev.sandboxer.platform.sandbox;

import java.util.Locale;

/** What is wanted of a sandbox. */
public enum Desired {
  RUNNING,
  SUSPENDED,
  GONE;

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
