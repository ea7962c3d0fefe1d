package dev.sandboxer.platform.session;

import java.util.Locale;
import java.util.Optional;

/** What a sandbox can be bound to. */
public enum ScopeType {
  THREAD,
  WORKSPACE,
  ASSISTANT,
  DEPLOYMENT,
  USER,
  RUN;

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a name.
   *
   * @param text lower case
   * @return empty if there is no such type
   */
  public static Optional<ScopeType> of(String text) {
    for (ScopeType type : values()) {
      if (type.text().equals(text)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
