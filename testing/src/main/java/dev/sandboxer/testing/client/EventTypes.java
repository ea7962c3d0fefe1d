package dev.sandboxer.testing.client;

import java.util.List;

/** Types of events. */
public final class EventTypes {
  /** What a sandbox that nobody uses goes through. */
  public static final List<String> LIFE =
      List.of(
          "sandbox.requested",
          "sandbox.provisioning",
          "sandbox.ready",
          "sandbox.destroying",
          "sandbox.destroyed");

  private EventTypes() {}
}
