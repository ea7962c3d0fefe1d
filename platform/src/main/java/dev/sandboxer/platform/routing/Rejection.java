package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import java.util.List;

/**
 * A backend that cannot run a sandbox.
 *
 * @param extension which
 * @param host where
 * @param reasons at least one
 */
public record Rejection(ExtensionId extension, String host, List<Reason> reasons) {

  /** Keeps an immutable copy. */
  public Rejection {
    reasons = List.copyOf(reasons);
  }

  /**
   * One reason.
   *
   * @param profileKey the key of the profile that would change it
   * @param message for a person
   */
  public record Reason(String profileKey, String message) {

    @Override
    public String toString() {
      return profileKey + ": " + message;
    }
  }
}
