package dev.sandboxer.e2e;

import java.util.List;

/** Types of events. */
final class EventTypes {
  /** What a sandbox that nobody uses goes through. */
  static final List<String> LIFE =
      List.of(
          "sandbox.requested",
          "sandbox.provisioning",
          "sandbox.ready",
          "sandbox.destroying",
          "sandbox.destroyed");

  private EventTypes() {}
}
