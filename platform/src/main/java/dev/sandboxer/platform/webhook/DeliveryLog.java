package dev.sandboxer.platform.webhook;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/** What was sent to each webhook and how it went: of a week, at most 10,000 tries a webhook. */
@ApplicationScoped
public class DeliveryLog {

  private static final int MOST = 10_000;

  /** A line that a crash of the database forgets is no loss, so none waits for the disk. */
  private static final String WRITE =
      """
      with fast as (select set_config('synchronous_commit', 'off', true) as done)
      insert into webhook_delivery (webhook_id, event_id, type, cause, attempt, status, error,
        duration_ms)
      select w.id, :event, :type, :cause, :attempt, :status, :error, :millis
      from webhook w, fast where fast.done = 'off' and w.id = :id
      """;

  private static final String PAGE =
      """
      select id as number, event_id, type, cause, attempt, status, error, duration_ms, at
      from webhook_delivery where webhook_id = :id and id < :before
        and (cast(:event as text) is null or event_id = :event)
      order by id desc limit :limit
      """;

  private static final String SWEEP_OLD =
      "delete from webhook_delivery where at < clock_timestamp() - interval '7 days'";

  private static final String SWEEP_MANY =
      """
      delete from webhook_delivery d using webhook w
      where d.webhook_id = w.id and d.id <= (
        select n.id from webhook_delivery n where n.webhook_id = w.id
        order by n.id desc offset :most limit 1)
      """;

  private final Jdbi jdbi;

  DeliveryLog(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  void write(String id, Try done) {
    jdbi.useTransaction(
        open ->
            open.createUpdate(WRITE)
                .bind("id", id)
                .bind("event", done.eventId())
                .bind("type", done.type())
                .bind("cause", done.cause().text())
                .bind("attempt", done.attempt())
                .bind("status", done.outcome().status())
                .bind("error", done.outcome().error())
                .bind("millis", done.millis())
                .execute());
  }

  /**
   * Reads the log, newest first.
   *
   * @param id of the webhook
   * @param eventId of one event, null for all
   * @param before lines with smaller numbers
   * @param limit at most so many
   * @return lines
   */
  public List<DeliveryEntry> page(String id, @Nullable String eventId, long before, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(PAGE)
                .bind("id", id)
                .bind("event", eventId)
                .bind("before", before)
                .bind("limit", limit)
                .map(ConstructorMapper.of(DeliveryEntry.class))
                .list());
  }

  /** Whether the receiver took an event in its turn. */
  boolean arrived(String id, String eventId) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    select exists (select 1 from webhook_delivery
                      where webhook_id = :id and event_id = :event and cause = 'event'
                        and error is null)
                    """)
                .bind("id", id)
                .bind("event", eventId)
                .mapTo(Boolean.class)
                .one());
  }

  @RunOnVirtualThread
  @Scheduled(identity = "webhook log", every = "10m", concurrentExecution = SKIP)
  void sweep() {
    jdbi.useTransaction(
        open -> {
          open.execute(SWEEP_OLD);
          open.createUpdate(SWEEP_MANY).bind("most", MOST).execute();
        });
  }
}
