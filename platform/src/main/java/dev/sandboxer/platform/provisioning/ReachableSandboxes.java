package dev.sandboxer.platform.provisioning;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.dataplane.DataplaneTargets;
import dev.sandboxer.platform.dataplane.OpenStreams;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import dev.sandboxer.platform.token.RevocationEpochs;
import dev.sandboxer.platform.token.RevocationListener;
import dev.sandboxer.platform.token.Revocations;
import dev.sandboxer.platform.token.TokenClaims;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What the relay may reach, in memory: added when ready, dropped as soon as a transition says
 * otherwise. First use makes a sandbox active.
 */
@ApplicationScoped
public class ReachableSandboxes
    implements DataplaneTargets, TransitionListener, RevocationListener {

  private static final String LOAD =
      """
      select a.id as attempt_id, a.dataplane, h.node_id, n.internal_url,
        coalesce(n.lease_until > clock_timestamp(), false) as node_up,
        coalesce((select max(r.min_epoch) from revocation r
          where (r.scope, r.id) in (('sandbox', s.id), ('tenant', s.tenant_id), ('all', ''))), 0)
        as min_epoch
      from sandbox s join attempt a on a.id = s.attempt_id
        join host h on h.id = a.host_id left join node n on n.id = h.node_id
      where s.id = :id and a.dataplane is not null
      """;

  private final Jdbi jdbi;
  private final Transports transports;
  private final Instance<Sandboxes> sandboxes;
  private final ActivityLog activity;
  private final OpenStreams streams;
  private final Instance<RevocationEpochs> epochs;
  private final Revocations revocations;
  private final Instance<SuspendedSandboxes> suspended;
  private final Map<SandboxId, Target> targets = new ConcurrentHashMap<>();

  /** For requests that were let in before they ended and are registered after that. */
  private final Cache<Incarnation, Boolean> ended =
      Caffeine.newBuilder().expireAfterWrite(Duration.ofMinutes(1)).build();

  private record Incarnation(SandboxId sandboxId, int generation) {}

  ReachableSandboxes(
      Jdbi jdbi,
      Transports transports,
      Instance<Sandboxes> sandboxes,
      ActivityLog activity,
      OpenStreams streams,
      Instance<RevocationEpochs> epochs,
      Revocations revocations,
      Instance<SuspendedSandboxes> suspended) {
    this.suspended = suspended;
    this.epochs = epochs;
    this.revocations = revocations;
    this.jdbi = jdbi;
    this.transports = transports;
    this.sandboxes = sandboxes;
    this.activity = activity;
    this.streams = streams;
  }

  @Override
  public Optional<Target> find(SandboxId sandboxId) {
    return Optional.ofNullable(targets.get(sandboxId));
  }

  @Override
  public Optional<Target> load(SandboxId sandboxId) {
    return load(sandboxId, _ -> true);
  }

  @Override
  public Optional<Target> load(TokenClaims claims) {
    return load(
        claims.sandboxId(),
        sandbox ->
            claims.countsFor(
                sandbox.generation(),
                epochs
                    .get()
                    .of(sandbox.id(), sandbox.tenantId(), claims.sessionId(), claims.clientId())));
  }

  private Optional<Target> load(SandboxId sandboxId, Predicate<Sandbox> mayResume) {
    Optional<Target> loaded = look(sandboxId).or(() -> awake(sandboxId, mayResume));
    if (loaded.isEmpty()) {
      return loaded;
    }
    Target target = loaded.get();
    if (target.transport() instanceof Transport.Unreachable) {
      return loaded;
    }
    targets.put(sandboxId, target);
    ended.invalidate(new Incarnation(sandboxId, target.generation()));
    // A transition or revocation between the read and the put has found nothing to drop.
    Optional<Target> now = look(sandboxId);
    if (now.filter(later -> same(later, target)).isEmpty()) {
      targets.remove(sandboxId, target);
    }
    return now.or(() -> awake(sandboxId, mayResume));
  }

  private Optional<Target> awake(SandboxId sandboxId, Predicate<Sandbox> mayResume) {
    return sandboxes
        .get()
        .find(sandboxId)
        .filter(sandbox -> sandbox.state().asleep())
        .filter(mayResume)
        .flatMap(this::resume);
  }

  private Optional<Target> resume(Sandbox sandbox) {
    Sandbox resumed = suspended.get().resume(sandbox);
    return resumed.state().reachable()
        ? look(sandbox.id())
        : Optional.of(
            new Target(
                sandbox.id(),
                sandbox.tenantId(),
                sandbox.generation(),
                0,
                new Transport.Unreachable(SuspendedSandboxes.reason(resumed))));
  }

  private Optional<Target> look(SandboxId sandboxId) {
    return sandboxes
        .get()
        .find(sandboxId)
        .filter(sandbox -> sandbox.state().reachable())
        .flatMap(this::read);
  }

  private static boolean same(Target one, Target other) {
    return one.generation() == other.generation() && one.minEpoch() == other.minEpoch();
  }

  @Override
  public boolean ended(Target target, TokenClaims claims) {
    return ended.getIfPresent(new Incarnation(target.sandboxId(), target.generation())) != null
        || !claims.countsFor(target.generation(), minEpoch(target, claims));
  }

  /** Ways that can change are looked up again; the path of a socket cannot. */
  @Override
  public void lost(Target target) {
    switch (target.transport()) {
      case Transport.Peer _ -> targets.remove(target.sandboxId(), target);
      case Transport.Opened _ -> {
        targets.remove(target.sandboxId(), target);
        transports.forget(target.sandboxId(), target.generation());
      }
      default -> {}
    }
  }

  @Override
  public long minEpoch(Target target, TokenClaims claims) {
    return Math.max(
        target.minEpoch(),
        epochs
            .get()
            .of(target.sandboxId(), target.tenantId(), claims.sessionId(), claims.clientId()));
  }

  @Override
  public boolean stale() {
    return epochs.get().stale();
  }

  @Override
  public void revoked(Revocations.Kind kind, String id, long minEpoch) {
    switch (kind) {
      case SESSION -> streams.cut(OpenStreams.Scope.SESSION, id, minEpoch);
      case SANDBOX -> revokedSandbox(new SandboxId(id), minEpoch);
      case TENANT -> revokedTenant(id, minEpoch);
      case ALL -> revokedAll(minEpoch);
      case KEY -> streams.cut(OpenStreams.Scope.KEY, id, minEpoch);
    }
  }

  /** It is looked up again, as another node may have suspended it. */
  void forget(SandboxId id) {
    targets.remove(id);
  }

  /** Each is looked up again. */
  void forgetAll() {
    targets.clear();
  }

  /** Perhaps by another node, which has ended or recreated it: it is looked up again. */
  private void revokedSandbox(SandboxId id, long minEpoch) {
    targets.remove(id);
    streams.cut(OpenStreams.Scope.SANDBOX, id.raw(), minEpoch);
  }

  /** New tokens get the epoch of their target: it is looked up again, here and below. */
  private void revokedTenant(String id, long minEpoch) {
    targets.values().removeIf(target -> target.tenantId().equals(id));
    streams.cut(OpenStreams.Scope.TENANT, id, minEpoch);
  }

  private void revokedAll(long minEpoch) {
    targets.clear();
    streams.cut(OpenStreams.Scope.ALL, "", minEpoch);
  }

  @Override
  public void used(Target target) {
    activity.used(target.sandboxId());
  }

  @Override
  public void moved(Target target, long bytes) {
    activity.moved(target.sandboxId(), bytes);
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    if (!sandbox.state().reachable()) {
      transaction.afterCommit(() -> drop(sandbox));
    }
    if (sandbox.state() == SandboxState.SUSPENDING) {
      WorkSignal.suspended(transaction, sandbox.id());
    }
    if (tellsOthers(transition)) {
      revocations.revoke(transaction, Revocations.Kind.SANDBOX, sandbox.id().raw());
    }
  }

  /** Other nodes hear of an end and of a new generation by the epochs that they read anyway. */
  private static boolean tellsOthers(Transition transition) {
    Sandbox sandbox = transition.sandbox();
    return switch (sandbox.state()) {
      case EXPIRED, FAILED, DESTROYING -> transition.type().startsWith("sandbox.");
      case REQUESTED -> sandbox.generation() > 1;
      default -> false;
    };
  }

  private void drop(Sandbox sandbox) {
    Target dropped = targets.remove(sandbox.id());
    int generation = dropped == null ? sandbox.generation() : dropped.generation();
    if (dropped != null) {
      ended.put(new Incarnation(sandbox.id(), generation), true);
    }
    transports.forget(sandbox.id(), generation);
    streams.close(sandbox.id(), generation);
  }

  private Optional<Target> read(Sandbox sandbox) {
    Optional<Read> read =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(LOAD)
                    .bind("id", sandbox.id())
                    .map((row, _) -> new Read(place(row), row.getLong("min_epoch")))
                    .findOne());
    return read.flatMap(
        found ->
            transports
                .of(sandbox, found.place())
                .map(
                    transport ->
                        new Target(
                            sandbox.id(),
                            sandbox.tenantId(),
                            sandbox.generation(),
                            found.minEpoch(),
                            transport)));
  }

  private record Read(Transports.Place place, long minEpoch) {}

  private static Transports.Place place(ResultSet row) throws SQLException {
    return new Transports.Place(
        row.getString("attempt_id"),
        row.getString("dataplane"),
        row.getString("node_id"),
        row.getString("internal_url"),
        row.getBoolean("node_up"));
  }
}
