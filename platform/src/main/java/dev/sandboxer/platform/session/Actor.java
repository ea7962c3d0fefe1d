package dev.sandboxer.platform.session;

import java.util.Locale;

/**
 * Who acts in a sandbox.
 *
 * @param type what it is
 * @param id the caller's own name for it
 */
public record Actor(Type type, String id) {

  /** What acts. */
  public enum Type {
    HUMAN,
    AGENT;

    /**
     * The name in database and JSON.
     *
     * @return lower case
     */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
