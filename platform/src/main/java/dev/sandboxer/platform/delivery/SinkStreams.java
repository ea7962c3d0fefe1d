package dev.sandboxer.platform.delivery;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.event.EventReader;
import dev.sandboxer.platform.event.NumberingListener;
import dev.sandboxer.platform.host.Hosts;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/**
 * What each sink still wants, one row a sink and subject. A row is claimed by one node at a time,
 * so events of one subject never overtake each other.
 */
@ApplicationScoped
public class SinkStreams implements NumberingListener, EventReader {

  /** How long a claim holds: longer than a holder works on it and one call may take together. */
  static final Duration CLAIM = Duration.ofSeconds(90);

  private static final String FAN_OUT =
      """
      insert into sink_stream (sink_id, subject, next_seq, head_seq)
      select s.id, e.subject, min(e.seq), max(e.seq)
      from event e join sink s
        on (s.tenant_id is null or s.tenant_id = e.tenant_id) and e.type like any(s.patterns)
      where e.position > :after and e.position <= :last
      group by s.id, e.subject
      on conflict (sink_id, subject) do update set head_seq = excluded.head_seq,
        moved_at = case when sink_stream.next_seq > sink_stream.head_seq then clock_timestamp()
          else sink_stream.moved_at end,
        next_seq = case when sink_stream.next_seq > sink_stream.head_seq then excluded.next_seq
          else sink_stream.next_seq end
      """;

  /** Of one receiver or all of a kind, of each at most so many. */
  private static final String CLAIM_DUE =
      """
      update sink_stream set claim_owner = :owner, claim_token = claim_token + 1,
        claim_until = clock_timestamp() + make_interval(secs => :seconds), hurried = false
      where (sink_id, subject) in (
        select due.sink_id, due.subject from sink s cross join lateral (
          select t.sink_id, t.subject, t.due_at from sink_stream t
          where t.sink_id = s.id and t.next_seq <= t.head_seq and t.parked_at is null
            and t.due_at <= clock_timestamp()
            and (t.claim_until is null or t.claim_until < clock_timestamp()
                 or (t.claim_owner <> :owner and t.claim_owner like :node || '/%%'))
          order by t.due_at
          limit greatest(0, %1$s)
          for update of t skip locked) due
        where %2$s and s.state = 'active' and s.due_at <= clock_timestamp()
        order by due.due_at limit :limit)
      returning sink_id, subject, next_seq, head_seq, attempts, claim_token,
        (select k.recoveries from sink k where k.id = sink_stream.sink_id) > recoveries as others,
        (select k.failures from sink k where k.id = sink_stream.sink_id) > 0 as failing
      """;

  /** Without what this node had claimed before it began again. */
  private static final String OPEN =
      """
      (select count(*) from sink_stream b
       where b.sink_id = s.id and b.claim_until > clock_timestamp()
         and not (b.claim_owner <> :owner and b.claim_owner like :node || '/%'))
      """;

  private static final String CLAIM_DUE_OF_ONE =
      CLAIM_DUE.formatted(
          "case when s.failures > 0 then 1 - %s else :limit end".formatted(OPEN), "s.id = :sink");

  private static final String CLAIM_DUE_OF_KIND =
      CLAIM_DUE.formatted(
          "case when s.failures > 0 then 1 else :each end - " + OPEN, "s.kind = :kind");

  /**
   * A progress that a crash of the database forgets is only delivered once more, so it does not
   * wait for the disk. Who was hurried meanwhile does not wait either.
   */
  private static final String PROGRESS =
      """
      with fast as (select set_config('synchronous_commit', 'off', true) as done)
      update sink_stream set next_seq = :next, claim_owner = null, claim_until = null,
        moved_at = case when :next > :was then clock_timestamp() else moved_at end,
        attempts = case when hurried then 0 else :attempts end, last_error = :error,
        due_at = clock_timestamp()
          + make_interval(secs => case when hurried then 0 else :delay end),
        parked_at = case when :parked and not hurried then clock_timestamp() end,
        hurried = false,
        recoveries = case when cast(:error as text) is null then recoveries
          else (select k.recoveries from sink k where k.id = sink_stream.sink_id) end
      from fast
      where fast.done = 'off' and sink_id = :sink and subject = :subject and claim_token = :token
      """;

  private static final String UNPARK =
      """
      update sink_stream set parked_at = null, attempts = 0, last_error = null,
        due_at = clock_timestamp(),
        next_seq = next_seq + case when :skip then 1 else 0 end
      where sink_id = :sink and subject = :subject and parked_at is not null
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;

  SinkStreams(Jdbi jdbi, Hosts hosts) {
    this.jdbi = jdbi;
    this.hosts = hosts;
  }

  @Override
  public void numbered(Handle transaction, long after, long last) {
    transaction.createUpdate(FAN_OUT).bind("after", after).bind("last", last).execute();
  }

  /** A tenant's receiver that is paused keeps nothing from being forgotten; the operator's does. */
  @Override
  public String wants() {
    return """
        exists (select 1 from sink_stream t join sink k on k.id = t.sink_id
          where t.subject = e.subject and t.next_seq <= e.seq and t.head_seq >= e.seq
            and (k.tenant_id is null or k.state = 'active'))
        """;
  }

  /** Claims backlogs of a sink that are due; one in all while it fails. */
  List<SinkStream> claim(String sinkId, int limit) {
    return claim(CLAIM_DUE_OF_ONE, limit, query -> query.bind("sink", sinkId));
  }

  /**
   * Claims backlogs that are due, of all receivers of a kind.
   *
   * @param kind of receiver
   * @param each how many of one receiver may be claimed at once, earlier ones included
   * @param limit how many at most
   * @return claimed for this node
   */
  public List<SinkStream> claimOf(String kind, int each, int limit) {
    return claim(CLAIM_DUE_OF_KIND, limit, query -> query.bind("kind", kind).bind("each", each));
  }

  private List<SinkStream> claim(String sql, int limit, UnaryOperator<Query> which) {
    return jdbi.inTransaction(
        transaction ->
            which
                .apply(transaction.createQuery(sql))
                .bind("owner", hosts.node().claimOwner())
                .bind("node", hosts.node().id())
                .bind("seconds", CLAIM.toSeconds())
                .bind("limit", limit)
                .map(ConstructorMapper.of(SinkStream.class))
                .list());
  }

  /** Everything before this event was delivered; the claim is given back. */
  void moved(SinkStream stream, long next) {
    finish(stream, next, 0, null, Duration.ZERO, false);
  }

  /** The event could not be delivered and is to be tried again after a time. */
  void later(SinkStream stream, long next, DeliveryResult.Again again) {
    int before = next > stream.nextSeq() ? 0 : stream.attempts();
    int attempts = before == 0 || again.counts() ? before + 1 : before;
    finish(stream, next, attempts, again.error(), again.after(), false);
  }

  /** The event is set aside with all that follow it. */
  void park(SinkStream stream, long next, String error) {
    finish(stream, next, stream.attempts() + 1, error, Duration.ZERO, true);
  }

  private void finish(
      SinkStream stream,
      long next,
      int attempts,
      @Nullable String error,
      Duration delay,
      boolean parked) {
    jdbi.useTransaction(
        transaction -> {
          Update update =
              transaction
                  .createUpdate(PROGRESS)
                  .bind("next", next)
                  .bind("was", stream.nextSeq())
                  .bind("attempts", attempts)
                  .bind("error", error)
                  .bind("delay", delay.toMillis() / 1000.0)
                  .bind("parked", parked)
                  .bind("sink", stream.sinkId())
                  .bind("subject", stream.subject())
                  .bind("token", stream.claimToken());
          update.execute();
        });
  }

  /**
   * Lets a parked stream go on.
   *
   * @param skip true leaves out the event that was refused
   * @return false if there is no such parked stream
   */
  boolean unpark(String sinkId, String subject, boolean skip) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                    .createUpdate(UNPARK)
                    .bind("skip", skip)
                    .bind("sink", sinkId)
                    .bind("subject", subject)
                    .execute()
                == 1);
  }

  /**
   * Has an event tried now that a receiver has not got yet, parked or waiting. If somebody is about
   * to send it, it is sent again at once should that fail.
   *
   * @param sinkId receiver
   * @param subject a sandbox's or tenant's public id
   * @param seq its number
   * @return false if it is not ahead of the receiver
   */
  public boolean hurry(String sinkId, String subject, long seq) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                    .createUpdate(
                        """
                        update sink_stream set parked_at = null, attempts = 0,
                          due_at = clock_timestamp(), hurried = claim_owner is not null
                        where sink_id = :sink and subject = :subject and next_seq <= :seq
                          and :seq <= head_seq
                        """)
                    .bind("sink", sinkId)
                    .bind("subject", subject)
                    .bind("seq", seq)
                    .execute()
                == 1);
  }

  /**
   * Leaves out an event that is set aside.
   *
   * @param sinkId receiver
   * @param subject a sandbox's or tenant's public id
   * @param seq its number
   * @return false if it is not set aside
   */
  public boolean skip(String sinkId, String subject, long seq) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                    .createUpdate(UNPARK + " and next_seq = :seq")
                    .bind("skip", true)
                    .bind("sink", sinkId)
                    .bind("subject", subject)
                    .bind("seq", seq)
                    .execute()
                == 1);
  }

  /** Forgets streams that have been at their end for a day; a later event makes them again. */
  @RunOnVirtualThread
  @Scheduled(identity = "sink streams", every = "10m", concurrentExecution = SKIP)
  void sweep() {
    jdbi.useTransaction(
        transaction ->
            transaction.execute(
                """
                delete from sink_stream
                where next_seq > head_seq and moved_at < clock_timestamp() - interval '1 day'
                """));
  }
}
