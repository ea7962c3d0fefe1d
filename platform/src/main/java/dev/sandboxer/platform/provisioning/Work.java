package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import org.jspecify.annotations.Nullable;

/**
 * A claimed sandbox that something is to be done with.
 *
 * @param sandbox its row
 * @param attempt its current attempt, null if it was not read yet or there is none
 * @param elsewhere whether another node must continue it
 */
record Work(Sandbox sandbox, @Nullable Attempt attempt, boolean elsewhere) {

  Work(Sandbox sandbox, @Nullable Attempt attempt) {
    this(sandbox, attempt, false);
  }

  static Work of(Sandbox sandbox) {
    return new Work(sandbox, null);
  }

  /** Work that only another node can continue. */
  static Work leftTo(Sandbox sandbox) {
    return new Work(sandbox, null, true);
  }
}
