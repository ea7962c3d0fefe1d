package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.archive.ArchiveHolds;
import dev.sandboxer.platform.database.InTurn;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.idempotency.IdempotencyKeys;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderedArchives;
import dev.sandboxer.platform.order.OrderedSecrets;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Quota;
import dev.sandboxer.platform.routing.Choice;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.RoutingJson;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.NewSandbox;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.platform.volume.VolumeHolds;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Records what was ordered and planned: quota, Idempotency-Key, sandbox, route and first attempt in
 * one transaction. A worker then establishes it.
 */
@ApplicationScoped
public class Creates {

  private final Jdbi jdbi;
  private final InTurn turns;
  private final Ids ids;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Rooms rooms;
  private final Hosts hosts;
  private final RoutingJson routing;
  private final Debts debts;
  private final Environments environments;
  private final OrderedSecrets secrets;
  private final OrderedArchives archives;
  private final SandboxSecrets ofSandboxes;
  private final Quota quota;
  private final VolumeHolds volumes;
  private final ArchiveHolds holds;
  private final IdempotencyKeys idempotency;
  private final Claims claims;
  private final WorkLoop loop;
  private final Failpoints failpoints;
  private final Tracing tracing;

  Creates(
      Jdbi jdbi,
      InTurn turns,
      Ids ids,
      Sandboxes sandboxes,
      Attempts attempts,
      Rooms rooms,
      Hosts hosts,
      RoutingJson routing,
      Debts debts,
      Environments environments,
      OrderedSecrets secrets,
      OrderedArchives archives,
      SandboxSecrets ofSandboxes,
      Quota quota,
      VolumeHolds volumes,
      ArchiveHolds holds,
      IdempotencyKeys idempotency,
      Claims claims,
      WorkLoop loop,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.turns = turns;
    this.ids = ids;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.rooms = rooms;
    this.hosts = hosts;
    this.routing = routing;
    this.debts = debts;
    this.environments = environments;
    this.secrets = secrets;
    this.archives = archives;
    this.ofSandboxes = ofSandboxes;
    this.quota = quota;
    this.volumes = volumes;
    this.holds = holds;
    this.idempotency = idempotency;
    this.claims = claims;
    this.loop = loop;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /**
   * A recorded sandbox.
   *
   * @param sandbox its row
   * @param replayed whether an earlier request with the same key had recorded it
   */
  public record Created(Sandbox sandbox, boolean replayed) {}

  /**
   * What a tenant's creates take turns by: the database lets them do it one after the other.
   *
   * @param tenantId owner
   * @return a name for {@link InTurn}
   */
  public static String turn(String tenantId) {
    return "creates/" + tenantId;
  }

  /**
   * Records a sandbox and has it established. Returns at once.
   *
   * @param order what is to be created
   * @param plan where it may go
   * @param key makes a repetition return the first one's sandbox, null if none was given
   * @return the sandbox, and whether it is an earlier one
   * @throws ProblemException QUOTA_EXCEEDED, IDEMPOTENCY_KEY_REUSED, VOLUME_IN_USE, or
   *     NO_CANDIDATE; VALIDATION or UNAVAILABLE if a secret or an archive cannot be had
   * @throws InterruptedException if the thread is interrupted while it waits for the tenant's other
   *     creates
   */
  public Created create(Order order, Plan plan, @Nullable IdempotencyKey key)
      throws InterruptedException {
    boolean needs = !order.secretRefs().isEmpty() || archives.needed(order);
    Order whole = needs && !repeats(key) ? whole(order) : order;
    return turns.here(
        turn(order.tenantId()),
        () -> jdbi.inTransaction(open -> createOrReplay(open, whole, plan, key)));
  }

  private Order whole(Order order) {
    secrets.check(order);
    return archives.kept(order);
  }

  /** What an earlier request made needs no store of secrets and no folder. */
  private boolean repeats(@Nullable IdempotencyKey key) {
    return key != null && jdbi.withHandle(open -> idempotency.find(open, key).isPresent());
  }

  private Created createOrReplay(
      Handle open, Order order, Plan plan, @Nullable IdempotencyKey key) {
    SandboxId id = ids.sandbox();
    if (key != null && !idempotency.keep(open, key, id.raw())) {
      SandboxId earlier = new SandboxId(idempotency.find(open, key).orElseThrow());
      return new Created(sandboxes.find(open, earlier).orElseThrow(), true);
    }
    return new Created(record(open, id, order, plan), false);
  }

  /**
   * Records a sandbox in the caller's transaction, and has it established once that is committed.
   * The caller has checked its secrets and found its archives before.
   *
   * @param open the transaction
   * @param order what is to be created
   * @param plan where it may go
   * @return the sandbox
   * @throws ProblemException QUOTA_EXCEEDED, VOLUME_IN_USE, or NO_CANDIDATE
   */
  public Sandbox create(Handle open, Order order, Plan plan) {
    return record(open, ids.sandbox(), order, plan);
  }

  private Sandbox record(Handle open, SandboxId id, Order order, Plan plan) {
    quota.reserve(open, order.asked());
    int first = rooms.first(open, plan.any(order.profile()), order.spec(), id);
    NewSandbox fresh = fresh(id, order, plan.candidates().get(first));
    Sandbox sandbox = sandboxes.insert(open, fresh, Claims.SECONDS);
    volumes.hold(open, order.tenantId(), id, order.spec().mounts());
    holds.hold(open, id, order.archives());
    return begin(open, sandbox, plan, first, "create.recorded");
  }

  /** Where only another node reaches the host, that one takes the work. */
  private Sandbox begin(Handle open, Sandbox sandbox, Plan plan, int first, String recorded) {
    Work work = attempts.begin(open, sandbox, plan, first).orElseThrow();
    String host = plan.candidates().get(first).host().id();
    if (!hosts.reaches(open, host)) {
      return claims.letGo(open, work.sandbox()).orElseThrow();
    }
    open.afterCommit(
        () -> {
          failpoints.reach(recorded);
          loop.begin(work);
        });
    return work.sandbox();
  }

  private NewSandbox fresh(SandboxId id, Order order, Choice first) {
    return new NewSandbox(
        id,
        order.tenantId(),
        order.principalId(),
        order.routing().extensions(),
        routing.text(order.routing()),
        first.extension(),
        order.spec(),
        order.consumer(),
        order.labels(),
        List.copyOf(order.environment().keySet()),
        environments.seal(id, order.environment()),
        Capability.narrowed(order.capabilities()),
        order.ttlSeconds(),
        order.idleSeconds(),
        claims.owner(),
        tracing.header());
  }

  /**
   * Establishes a sandbox again, as its next generation.
   *
   * @param sandbox as read
   * @param generation that the caller knows
   * @param plan where the next generation may go
   * @return the row now
   * @throws ProblemException GENERATION_CONFLICT, INVALID_STATE, VOLUME_IN_USE or NO_CANDIDATE;
   *     VALIDATION or UNAVAILABLE if a secret cannot be had, and then it lives on as it is
   */
  public Sandbox recreate(Sandbox sandbox, int generation, Plan plan) {
    checkGeneration(sandbox, generation);
    ofSandboxes.check(sandbox);
    Optional<Sandbox> again =
        jdbi.inTransaction(
            open -> {
              Optional<Sandbox> row = sandboxes.apply(open, again(sandbox, generation));
              row.ifPresent(next -> debts.oweBefore(open, next.id(), next.generation()));
              return row.map(next -> beginAgain(open, next, plan));
            });
    return again.orElseThrow(() -> refused(now(sandbox), generation));
  }

  private Sandbox beginAgain(Handle open, Sandbox sandbox, Plan plan) {
    int first = rooms.first(open, plan.any(sandbox.profile()), sandbox.spec(), sandbox.id());
    volumes.hold(open, String.valueOf(sandbox.tenantId()), sandbox.id(), sandbox.spec().mounts());
    return begin(open, sandbox, plan, first, "recreate.recorded");
  }

  private Change again(Sandbox sandbox, int generation) {
    return Change.to(sandbox.id(), SandboxState.REQUESTED)
        .generation(generation)
        .from(
            SandboxState.READY,
            SandboxState.ACTIVE,
            SandboxState.SUSPENDED,
            SandboxState.EXPIRED,
            SandboxState.FAILED)
        .when("desired <> 'gone'")
        .when("hard_expires_at > clock_timestamp()")
        .when("(claim_until is null or claim_until < clock_timestamp())")
        .set("claim_owner", claims.owner())
        .set("trace_parent", tracing.header())
        .setSql("claim_token", "claim_token + 1")
        .setSql("claim_until", Claims.UNTIL)
        .setSql("generation", "generation + 1")
        .setSql("attempt_id", "null")
        .setSql("expires_at", "null")
        .setSql("ready_at", "null")
        .setSql("active_at", "null")
        .setSql("ended_at", "null")
        .setSql("end_reason", "null")
        .setSql("cleanup", "null")
        .setSql("failure_code", "null")
        .setSql("failure_message", "null")
        .setSql("failure_retryable", "null")
        .setJson("conditions", "[]")
        .setJson("descriptors", "{}")
        .detail("recreated", true);
  }

  private Sandbox now(Sandbox sandbox) {
    return sandboxes.find(sandbox.id()).orElseThrow();
  }

  private static void checkGeneration(Sandbox sandbox, int generation) {
    if (sandbox.generation() != generation) {
      throw new ProblemException(
          ErrorCode.GENERATION_CONFLICT,
          "If-Match names generation %d, the sandbox is at %d"
              .formatted(generation, sandbox.generation()));
    }
  }

  private static ProblemException refused(Sandbox now, int generation) {
    checkGeneration(now, generation);
    return new ProblemException(
        ErrorCode.INVALID_STATE,
        "a sandbox in state %s (desired %s, hard limit %s) cannot be recreated; it must be ready,"
                .formatted(now.state().text(), now.desired().text(), now.hardExpiresAt())
            + " active, suspended, expired or failed, not being deleted, and within its hard limit");
  }
}
