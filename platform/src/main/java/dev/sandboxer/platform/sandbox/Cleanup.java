package dev.sandboxer.platform.sandbox;

import java.util.Locale;

/** How far the removal of what a sandbox made has come. */
public enum Cleanup {
  PENDING,
  DONE,
  /** Only by an operator's word. */
  ABANDONED;

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
