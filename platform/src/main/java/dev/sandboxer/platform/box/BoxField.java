package dev.sandboxer.platform.box;

import java.util.Locale;

/** What of a box stays as it was made. */
public enum BoxField {
  PROFILE,
  INPUTS,
  MOUNTS,
  ENV,
  LABELS,
  TTL_SECONDS,
  IDLE_SECONDS,
  PERSISTENT;

  /**
   * The name in requests.
   *
   * @return such as {@code ttl_seconds}
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
