package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import java.util.List;

/**
 * A backend on a host that cannot run a sandbox.
 *
 * @param extension which
 * @param host where; empty text if it has no host
 * @param reasons at least one
 */
public record Rejection(ExtensionId extension, String host, List<Reason> reasons) {

  /** Keeps an immutable copy. */
  public Rejection {
    reasons = List.copyOf(reasons);
  }

  /** Whether all reasons are temporary. */
  boolean passes() {
    return reasons.stream().allMatch(Reason::passes);
  }

  /**
   * One reason.
   *
   * @param profileKey the key of the profile that would change it
   * @param message for a person
   * @param passes whether it may pass by itself, such as a full host
   */
  public record Reason(String profileKey, String message, boolean passes) {

    @Override
    public String toString() {
      return profileKey + ": " + message;
    }
  }
}
