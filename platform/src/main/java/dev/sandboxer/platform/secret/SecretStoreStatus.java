package dev.sandboxer.platform.secret;

import org.jspecify.annotations.Nullable;

/**
 * How a store of secrets fares on this node.
 *
 * @param name as in references
 * @param kind what it is
 * @param state {@code up}, {@code away} if it cannot be asked now, or {@code failed} if it was not
 *     loaded
 * @param error why it is not up, null if it is
 */
public record SecretStoreStatus(String name, String kind, String state, @Nullable String error) {

  private static final String UP = "up";

  static SecretStoreStatus up(String name, String kind) {
    return new SecretStoreStatus(name, kind, UP, null);
  }

  static SecretStoreStatus away(String name, String kind, String error) {
    return new SecretStoreStatus(name, kind, "away", error);
  }

  static SecretStoreStatus failed(String name, String kind, String error) {
    return new SecretStoreStatus(name, kind, "failed", error);
  }

  /**
   * Whether an operator has nothing to do.
   *
   * @return false if it cannot be asked
   */
  public boolean well() {
    return state.equals(UP);
  }
}
