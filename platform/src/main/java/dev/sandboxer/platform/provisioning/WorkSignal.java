package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What nodes say to each other with a commit: to the one that alone reaches a host that it has
 * work, and to all that a sandbox is suspended. Hints: who misses the first finds the work at its
 * next look, and who may have missed the second forgets what it can reach.
 */
final class WorkSignal {

  /** The channel of PostgreSQL; a message is a node's id. */
  static final String CHANNEL = "sandboxer_work";

  private static final String SEND =
      """
      select pg_notify('%s', node_id) from host where id = :host and node_id is not null
      """
          .formatted(CHANNEL);

  /** Of the second; a message is a sandbox's id. */
  static final String SUSPENDED = "sandboxer_suspended";

  private static final String SEND_SUSPENDED = "select pg_notify('%s', :id)".formatted(SUSPENDED);

  private WorkSignal() {}

  static void suspended(Handle transaction, SandboxId id) {
    transaction.createQuery(SEND_SUSPENDED).bind("id", id.raw()).mapTo(String.class).list();
  }

  static void send(Handle transaction, @Nullable String hostId) {
    transaction.createQuery(SEND).bind("host", hostId).mapTo(String.class).list();
  }
}
