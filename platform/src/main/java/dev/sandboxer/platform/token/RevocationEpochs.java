package dev.sandboxer.platform.token;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.ops.WakeableLoop;
import io.quarkus.arc.All;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The smallest epochs that count, as this node knows them: read every quarter of a second, whoever
 * wrote them, so that no message between nodes can get lost. Only what may be new is read, by the
 * transaction that wrote it, so that one which commits late is not missed.
 */
@ApplicationScoped
public class RevocationEpochs {

  private static final Logger LOG = Logger.getLogger(RevocationEpochs.class);

  private static final Duration POLL = Duration.ofMillis(250);

  private static final Duration MARGIN = Duration.ofHours(1);

  /** Counted from the revocation: nothing that was made before it lives longer. */
  static final Duration KNOWN = TokenMinter.LONGEST_LIFE.plus(MARGIN);

  /**
   * Rows outlast what any node knows of them, one whose clock stood still included: new tokens take
   * their epoch from the rows, and must not fall below a minimum that still counts somewhere.
   */
  static final Duration STORED = KNOWN.plus(MARGIN.multipliedBy(3));

  private static final int STALENESS_SECONDS = 30;
  private static final int MOST_STALE_SECONDS = 3600;

  private static final String READ =
      """
      select pg_snapshot_xmin(pg_current_snapshot())::text as next, r.scope, r.id, r.min_epoch,
        extract(epoch from clock_timestamp() - r.created_at) as age
      from (select 1) one left join revocation r on r.xid >= cast(:from as xid8)
      """;

  private final Jdbi jdbi;
  private final List<RevocationListener> listeners;
  private final long mostStaleNanos;
  private final WakeableLoop loop = new WakeableLoop(POLL);
  private final Map<Key, Minimum> epochs = new ConcurrentHashMap<>();
  private String from = "0";
  private volatile long readNanos;

  RevocationEpochs(Jdbi jdbi, @All List<RevocationListener> listeners, Settings settings) {
    this.jdbi = jdbi;
    this.listeners = listeners;
    this.mostStaleNanos =
        settings
            .seconds(
                Setting.SANDBOXER_REVOCATION_MAX_STALENESS, STALENESS_SECONDS, MOST_STALE_SECONDS)
            .toNanos();
    this.readNanos = System.nanoTime() - mostStaleNanos - 1;
  }

  /** Reads once, then goes on for as long as the node runs. */
  public void start() {
    read();
    loop.start("revocations", this::read);
  }

  /** Ends. */
  public void stop() {
    loop.stop();
  }

  /**
   * The smallest epoch that counts for a token.
   *
   * @param sandboxId the sandbox's id
   * @param tenantId owner of the sandbox
   * @param sessionId the token's session, null if none
   * @param keyId the key that asked for the token, null if unknown
   * @return 0 if nothing of it was revoked
   */
  public long of(
      SandboxId sandboxId, String tenantId, @Nullable String sessionId, @Nullable String keyId) {
    long most =
        Math.max(of(Revocations.Kind.ALL, ""), of(Revocations.Kind.SANDBOX, sandboxId.raw()));
    most = Math.max(most, of(Revocations.Kind.TENANT, tenantId));
    most = sessionId == null ? most : Math.max(most, of(Revocations.Kind.SESSION, sessionId));
    return keyId == null ? most : Math.max(most, of(Revocations.Kind.KEY, keyId));
  }

  private long of(Revocations.Kind kind, String id) {
    Minimum known = epochs.get(new Key(kind, id));
    return known == null || known.over(System.nanoTime()) ? 0 : known.epoch();
  }

  /**
   * Whether the last successful reading is too long ago for anybody to be let in.
   *
   * @return true once the database has been away for the stated time
   */
  public boolean stale() {
    return System.nanoTime() - readNanos > mostStaleNanos;
  }

  /** Forgets what no token can be subject to any more. */
  @RunOnVirtualThread
  @Scheduled(identity = "revocations", every = "10m", concurrentExecution = SKIP)
  void sweep() {
    long now = System.nanoTime();
    epochs.values().removeIf(minimum -> minimum.over(now));
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    delete from revocation
                    where created_at < clock_timestamp() - make_interval(secs => :stored)
                    """)
                .bind("stored", STORED.toSeconds())
                .execute());
  }

  /** A reading counts from its begin: what was committed later may not be in it. */
  private synchronized void read() {
    long begin = System.nanoTime();
    String next = from;
    for (Row row : rows()) {
      next = row.next();
      if (row.kind() != null) {
        learn(new Key(row.kind(), row.id()), new Minimum(row.epoch(), row.untilNanos()));
      }
    }
    from = next;
    readNanos = begin;
  }

  private List<Row> rows() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(READ)
                .bind("from", from)
                .map(
                    (row, _) ->
                        new Row(
                            row.getString("next"),
                            Revocations.Kind.of(row.getString("scope")),
                            String.valueOf(row.getString("id")),
                            row.getLong("min_epoch"),
                            until(row.getDouble("age"))))
                .list());
  }

  /** When a minimum is forgotten that was revoked some seconds ago, whenever it is read. */
  private static long until(double age) {
    Duration left = KNOWN.minusMillis(Math.max(0, Math.round(age * 1000)));
    return System.nanoTime() + left.toNanos();
  }

  private void learn(Key key, Minimum minimum) {
    Minimum known = epochs.get(key);
    if (known != null && known.epoch() >= minimum.epoch()) {
      return;
    }
    epochs.put(key, minimum);
    for (RevocationListener listener : listeners) {
      try {
        listener.revoked(key.kind(), key.id(), minimum.epoch());
      } catch (RuntimeException e) {
        LOG.errorf(e, "revocation not carried out kind=%s id=%s", key.kind(), key.id());
      }
    }
  }

  private record Key(Revocations.Kind kind, String id) {}

  private record Minimum(long epoch, long untilNanos) {

    boolean over(long nanos) {
      return nanos - untilNanos >= 0;
    }
  }

  private record Row(
      String next, Revocations.@Nullable Kind kind, String id, long epoch, long untilNanos) {}
}
