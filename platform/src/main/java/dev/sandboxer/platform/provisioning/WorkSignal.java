package dev.sandboxer.platform.provisioning;

import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Tells the node that alone reaches a host that it has work. A hint, sent with the commit: a node
 * that misses it finds the work at its next look.
 */
final class WorkSignal {

  /** The channel of PostgreSQL; a message is a node's id. */
  static final String CHANNEL = "sandboxer_work";

  private static final String SEND =
      """
      select pg_notify('%s', node_id) from host where id = :host and node_id is not null
      """
          .formatted(CHANNEL);

  private WorkSignal() {}

  static void send(Handle transaction, @Nullable String hostId) {
    transaction.createQuery(SEND).bind("host", hostId).mapTo(String.class).list();
  }
}
