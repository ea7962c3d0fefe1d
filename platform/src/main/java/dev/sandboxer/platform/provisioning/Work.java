package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import org.jspecify.annotations.Nullable;

/**
 * A claimed sandbox that something is to be done with.
 *
 * @param sandbox its row
 * @param attempt its current attempt, null if it was not read yet or there is none
 * @param elsewhere whether it was left to another node
 */
record Work(Sandbox sandbox, @Nullable Attempt attempt, boolean elsewhere) {

  Work(Sandbox sandbox, @Nullable Attempt attempt) {
    this(sandbox, attempt, false);
  }

  static Work of(Sandbox sandbox) {
    return new Work(sandbox, null);
  }

  /** What only another node can go on with. */
  static Work leftTo(Sandbox sandbox) {
    return new Work(sandbox, null, true);
  }
}
