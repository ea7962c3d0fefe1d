package dev.sandboxer.platform.delivery;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Receivers that belong to a tenant: each gets the events of its tenant alone. */
@ApplicationScoped
public class TenantSinks {

  private static final String FAILED =
      """
      update sink set failures = failures + 1, last_error = :error,
        failing_since = coalesce(failing_since, clock_timestamp()),
        due_at = greatest(due_at, clock_timestamp() + make_interval(secs => :least))
      where id = :id
      returning extract(epoch from clock_timestamp() - failing_since)
      """;

  private static final String RESUME =
      """
      with resumed as (
        update sink set state = 'active', paused_reason = null, paused_at = null, failures = 0,
          failing_since = null, due_at = clock_timestamp()
        where id = :id returning id)
      update sink_stream set attempts = 0, due_at = clock_timestamp()
      from resumed where sink_id = resumed.id and next_seq <= head_seq and parked_at is null
      """;

  private final Jdbi jdbi;

  TenantSinks(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Records a receiver; it begins with what happens after the commit.
   *
   * @param open transaction
   * @param id of the receiver
   * @param kind what receives
   * @param tenantId owner
   * @param types wanted types or prefixes that end in {@code .*}, empty for all
   */
  public void make(Handle open, String id, String kind, String tenantId, Set<String> types) {
    open.createUpdate("insert into sink (id, kind, tenant_id) values (:id, :kind, :tenant)")
        .bind("id", id)
        .bind("kind", kind)
        .bind("tenant", tenantId)
        .execute();
    want(open, id, types);
  }

  /**
   * Changes what a receiver wants of what happens from now on.
   *
   * @param open transaction
   * @param id of the receiver
   * @param types wanted types or prefixes that end in {@code .*}, empty for all
   */
  public void want(Handle open, String id, Set<String> types) {
    open.createUpdate("update sink set types = :types, patterns = :patterns where id = :id")
        .bind("id", id)
        .bindArray("types", String.class, types.toArray())
        .bindArray("patterns", String.class, Sinks.patterns(types).toArray())
        .execute();
  }

  /**
   * Delivers nothing for now; the backlog is kept.
   *
   * @param open transaction
   * @param id of the receiver
   * @param reason null if its owner wants it so
   */
  public void pause(Handle open, String id, @Nullable String reason) {
    open.createUpdate(
            """
            update sink set state = 'paused', paused_reason = :reason, paused_at = clock_timestamp()
            where id = :id and state = 'active'
            """)
        .bind("id", id)
        .bind("reason", reason)
        .execute();
  }

  /**
   * Delivers again from where it was, at once.
   *
   * @param open transaction
   * @param id of the receiver
   */
  public void resume(Handle open, String id) {
    open.createUpdate(RESUME).bind("id", id).execute();
  }

  /**
   * Forgets a receiver with its backlog.
   *
   * @param open transaction
   * @param id of the receiver
   */
  public void remove(Handle open, String id) {
    open.createUpdate("delete from sink where id = :id").bind("id", id).execute();
  }

  /**
   * The receiver did not take an event.
   *
   * @param id of the receiver
   * @param error for its owner
   * @param least nothing is delivered to it before this time is over
   * @return for how long it has taken nothing
   */
  public Duration failed(String id, String error, Duration least) {
    double seconds =
        jdbi.inTransaction(
            open ->
                open.createQuery(FAILED)
                    .bind("id", id)
                    .bind("error", error)
                    .bind("least", least.toMillis() / 1000.0)
                    .mapTo(Double.class)
                    .findOne()
                    .orElse(0.0));
    return Duration.ofMillis((long) (seconds * 1000));
  }

  /**
   * The receiver took an event after it had failed.
   *
   * @param id of the receiver
   */
  public void recovered(String id) {
    jdbi.useTransaction(
        open ->
            open.createUpdate(
                    "update sink set failures = 0, failing_since = null"
                        + " where id = :id and failures > 0")
                .bind("id", id)
                .execute());
  }
}
