package dev.sandboxer.platform.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Consumer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Writes rows of table {@code event}. Whoever calls holds the lock of the subject's row. */
@ApplicationScoped
class EventWriter {

  private static final String INSERT =
      """
      insert into event (id, subject, seq, tenant_id, sandbox_id, type, consumer, actor_type, state,
        detail)
      values (:id, :subject, :seq, :tenant, :sandbox, :type, cast(:consumer as jsonb), :actor,
        :state, cast(:detail as jsonb))
      """;

  private final Ids ids;
  private final ObjectMapper json;
  private final Sequencer sequencer;

  EventWriter(Ids ids, ObjectMapper json, Sequencer sequencer) {
    this.ids = ids;
    this.json = json;
    this.sequencer = sequencer;
  }

  /**
   * An event to be written.
   *
   * @param subject a sandbox's or tenant's public id
   * @param seq number within the subject
   * @param tenantId owner
   * @param sandboxId its sandbox, null for an event of the tenant itself
   * @param type such as {@code sandbox.ready}
   * @param consumer who asked, null where nobody said so
   * @param state after it, null if it changes none
   * @param detail facts; never a secret
   */
  record Entry(
      String subject,
      long seq,
      @Nullable String tenantId,
      @Nullable SandboxId sandboxId,
      String type,
      @Nullable Consumer consumer,
      @Nullable String state,
      Map<String, Object> detail) {}

  void write(Handle transaction, Entry entry) {
    Consumer consumer = entry.consumer();
    transaction
        .createUpdate(INSERT)
        .bind("id", ids.make("evt"))
        .bind("subject", entry.subject())
        .bind("seq", entry.seq())
        .bind("tenant", entry.tenantId())
        .bind("sandbox", entry.sandboxId())
        .bind("type", entry.type())
        .bind("consumer", text(consumer == null ? Map.of() : EventDetail.consumer(consumer)))
        .bind("actor", consumer == null ? null : consumer.actor())
        .bind("state", entry.state())
        .bind("detail", text(entry.detail()))
        .execute();
    transaction.afterCommit(sequencer::committed);
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event's detail could not be written as JSON", e);
    }
  }
}
