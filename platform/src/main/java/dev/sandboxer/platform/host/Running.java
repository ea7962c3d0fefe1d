package dev.sandboxer.platform.host;

import java.util.Locale;

/** What becomes of the sandboxes of a host that is drained. */
public enum Running {
  /** They go on until they end by themselves. */
  KEEP,
  /** They end. */
  END,
  /** They are established again on other hosts; where none takes one, it goes on. */
  RECREATE;

  /**
   * Its form in the database and in requests.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
