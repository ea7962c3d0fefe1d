package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import org.jspecify.annotations.Nullable;

/**
 * A claimed sandbox that something is to be done with.
 *
 * @param sandbox its row
 * @param attempt its current attempt, null if it was not read yet or there is none
 */
record Work(Sandbox sandbox, @Nullable Attempt attempt) {

  static Work of(Sandbox sandbox) {
    return new Work(sandbox, null);
  }
}
