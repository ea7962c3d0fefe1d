package dev.sandboxer.platform.delivery;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The receivers that the database knows, and how they fare. */
@ApplicationScoped
public class Sinks {

  private static final String FAILED =
      """
      update sink set failures = failures + 1, last_error = :error,
        failing_since = coalesce(failing_since, clock_timestamp()),
        due_at = clock_timestamp() + make_interval(secs =>
          greatest(:least, least(:most, 0.25 * 2 ^ least(failures, 20)) * (0.5 + random() / 2)))
      where id = :id and due_at <= clock_timestamp()
      """;

  /** The receiver lives and has trouble with one event: nobody else waits. */
  private static final String DOUBTED =
      """
      update sink set failures = failures + 1, last_error = :error,
        failing_since = coalesce(failing_since, clock_timestamp())
      where id = :id
      """;

  private static final String STATUS =
      """
      select s.id, s.kind, s.state, s.types, s.failures, s.last_error, s.failing_since,
        coalesce(sum(t.head_seq - t.next_seq + 1), 0) as lag,
        coalesce(extract(epoch from clock_timestamp() - min(t.moved_at)), 0) as lag_seconds,
        count(t.parked_at) as parked
      from sink s left join sink_stream t on t.sink_id = s.id and t.next_seq <= t.head_seq
      where s.tenant_id is null group by s.id order by s.id
      """;

  private static final String WEBHOOKS =
      """
      select k.*, t.* from (
        select count(*) as "all", count(*) filter (where state = 'active' and failures > 0) as failing,
          count(*) filter (where state = 'paused') as paused
        from sink where tenant_id is not null) k,
      (select coalesce(sum(t.head_seq - t.next_seq + 1) filter (where s.state = 'active'), 0) as lag,
          coalesce(extract(epoch from clock_timestamp() - min(t.moved_at)
            filter (where s.state = 'active' and t.parked_at is null)), 0) as lag_seconds,
          count(t.parked_at) as parked
        from sink s join sink_stream t on t.sink_id = s.id and t.next_seq <= t.head_seq
        where s.tenant_id is not null) t
      """;

  private static final String PARKED =
      """
      select t.subject, t.next_seq as seq, e.id as event_id, e.type,
        t.head_seq - t.next_seq + 1 as waiting, t.last_error as error, t.parked_at
      from sink_stream t left join event e on e.subject = t.subject and e.seq = t.next_seq
      where t.sink_id = :id and t.parked_at is not null order by t.parked_at limit 1000
      """;

  private final Jdbi jdbi;
  private final SinkStreams streams;

  Sinks(Jdbi jdbi, SinkStreams streams) {
    this.jdbi = jdbi;
    this.streams = streams;
  }

  /**
   * Which subjects wait behind a refused event.
   *
   * @param id of the sink
   * @return at most 1,000, the oldest first
   */
  public List<Parked> parked(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(PARKED)
                .bind("id", id)
                .map(ConstructorMapper.of(Parked.class))
                .list());
  }

  /**
   * Lets a parked subject go on.
   *
   * @param id of the sink
   * @param subject a sandbox's or tenant's public id
   * @param skip true leaves the refused event out
   * @return false if nothing of it is parked there
   */
  public boolean unpark(String id, String subject, boolean skip) {
    return streams.unpark(id, subject, skip);
  }

  /**
   * Records a sink of the operator's. One that is known keeps its backlog.
   *
   * @param id such as {@code state-hub}
   * @param kind what receives
   * @param types wanted types, empty for all
   */
  void ensure(String id, String kind, Set<String> types) {
    jdbi.useTransaction(
        transaction ->
            transaction
                .createUpdate(
                    """
                    insert into sink (id, kind, types, patterns, seen_at)
                    values (:id, :kind, :types, :patterns, clock_timestamp())
                    on conflict (id) do update set kind = excluded.kind, types = excluded.types,
                      patterns = excluded.patterns, seen_at = excluded.seen_at
                    """)
                .bind("id", id)
                .bind("kind", kind)
                .bindArray("types", String.class, types.toArray())
                .bindArray("patterns", String.class, patterns(types).toArray())
                .execute());
  }

  /**
   * Says that this node still has sinks set up, and forgets those that no node has had for long,
   * with their backlogs.
   *
   * @param ids of this node's sinks
   * @param patience how long one may be missing
   */
  void seen(Collection<String> ids, Duration patience) {
    jdbi.useTransaction(
        transaction -> {
          transaction
              .createUpdate("update sink set seen_at = clock_timestamp() where id = any(:ids)")
              .bindArray("ids", String.class, ids.toArray())
              .execute();
          transaction
              .createUpdate(
                  "delete from sink where seen_at < clock_timestamp() - make_interval(secs => :s)")
              .bind("s", patience.toSeconds())
              .execute();
        });
  }

  /** Exact types and {@code prefix.*} as patterns of SQL. */
  static List<String> patterns(Set<String> types) {
    return types.isEmpty()
        ? List.of("%")
        : types.stream()
            .map(type -> type.replace("_", "\\_"))
            .map(type -> type.endsWith(".*") ? type.substring(0, type.length() - 1) + "%" : type)
            .toList();
  }

  /**
   * The receiver did not take an event: all its backlogs wait, longer each time.
   *
   * @param least what the receiver asked for
   * @param most longest pause
   */
  void failed(String id, String error, Duration least, Duration most) {
    jdbi.useTransaction(
        transaction ->
            transaction
                .createUpdate(FAILED)
                .bind("id", id)
                .bind("error", error)
                .bind("least", least.toMillis() / 1000.0)
                .bind("most", most.toMillis() / 1000.0)
                .execute());
  }

  /** The receiver did not take an event again, and took others: only that event waits. */
  void doubted(String id, String error) {
    jdbi.useTransaction(
        transaction ->
            transaction.createUpdate(DOUBTED).bind("id", id).bind("error", error).execute());
  }

  /**
   * The receiver is back.
   *
   * @return false if it was not away
   */
  boolean recovered(String id) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                    .createUpdate(
                        """
                        update sink set failures = 0, failing_since = null,
                          recoveries = recoveries + 1, due_at = clock_timestamp()
                        where id = :id and failures > 0
                        """)
                    .bind("id", id)
                    .execute()
                == 1);
  }

  /**
   * Pauses a sink, or lets it go on. Its backlog is kept meanwhile.
   *
   * @param id such as {@code state-hub}
   * @param paused what is wanted
   * @return false if there is no such sink of the operator's
   */
  public boolean pause(String id, boolean paused) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                    .createUpdate(
                        """
                        update sink set state = :state, due_at = clock_timestamp()
                        where id = :id and tenant_id is null
                        """)
                    .bind("state", paused ? "paused" : "active")
                    .bind("id", id)
                    .execute()
                == 1);
  }

  /**
   * How the operator's sinks fare.
   *
   * @return in order of ids
   */
  public List<SinkStatus> status() {
    return jdbi.withHandle(
        handle -> handle.createQuery(STATUS).map(ConstructorMapper.of(SinkStatus.class)).list());
  }

  /**
   * How the tenants' receivers fare.
   *
   * @return all together
   */
  WebhookStatus webhooks() {
    return jdbi.withHandle(
        handle ->
            handle.createQuery(WEBHOOKS).map(ConstructorMapper.of(WebhookStatus.class)).one());
  }
}
