package dev.sandboxer.platform.event;

import dev.sandboxer.platform.sandbox.Consumer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Writes what happened to a tenant itself, numbered under the lock of the tenant's row. */
@ApplicationScoped
public class TenantEvents {

  private static final String NUMBER =
      "update tenant set event_seq = event_seq + 1 where id = :tenant returning event_seq";

  private final EventWriter writer;

  TenantEvents(EventWriter writer) {
    this.writer = writer;
  }

  /**
   * Writes an event.
   *
   * @param transaction open; other events of the tenant wait until it ends
   * @param tenantId whose
   * @param type what has happened
   * @param consumer who asked, null where nobody said so
   * @param detail facts as {@link EventType#fields} names them; never a secret
   */
  public void write(
      Handle transaction,
      String tenantId,
      EventType type,
      @Nullable Consumer consumer,
      Map<String, Object> detail) {
    long seq = transaction.createQuery(NUMBER).bind("tenant", tenantId).mapTo(Long.class).one();
    writer.write(
        transaction,
        new EventWriter.Entry(tenantId, seq, tenantId, null, type.text(), consumer, null, detail));
  }
}
