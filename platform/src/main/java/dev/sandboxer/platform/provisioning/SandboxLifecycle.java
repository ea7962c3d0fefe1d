package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.idempotency.IdempotencyKeys;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Quota;
import dev.sandboxer.platform.routing.Router;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.NewSandbox;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.trace.Tracing;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** What callers may wish of sandboxes. Each wish is recorded in one transaction, then worked on. */
@ApplicationScoped
public class SandboxLifecycle {

  private static final String NOT_CLAIMED =
      "(claim_until is null or claim_until < clock_timestamp())";

  private final Jdbi jdbi;
  private final Ids ids;
  private final Sandboxes sandboxes;
  private final Debts debts;
  private final Environments environments;
  private final Quota quota;
  private final IdempotencyKeys idempotency;
  private final Claims claims;
  private final Worker worker;
  private final Router router;
  private final WorkLoop loop;
  private final Json json;
  private final Failpoints failpoints;
  private final Tracing tracing;

  SandboxLifecycle(
      Jdbi jdbi,
      Ids ids,
      Sandboxes sandboxes,
      Debts debts,
      Environments environments,
      Quota quota,
      IdempotencyKeys idempotency,
      Claims claims,
      Worker worker,
      Router router,
      WorkLoop loop,
      Json json,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.ids = ids;
    this.sandboxes = sandboxes;
    this.debts = debts;
    this.environments = environments;
    this.quota = quota;
    this.idempotency = idempotency;
    this.claims = claims;
    this.worker = worker;
    this.router = router;
    this.loop = loop;
    this.json = json;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /**
   * Records a sandbox and has it established. Returns at once.
   *
   * @param command what is wanted
   * @param key makes a repetition return the first one's sandbox, null if none was given
   * @return the sandbox, and whether it is an earlier one
   * @throws ProblemException QUOTA_EXCEEDED, IDEMPOTENCY_KEY_REUSED, or NO_CANDIDATE
   */
  public Created create(CreateCommand command, @Nullable IdempotencyKey key) {
    router.prepare(command.extensionId(), command.spec());
    Created created = jdbi.inTransaction(open -> createOrReplay(open, command, key));
    failpoints.reach("create.recorded");
    if (!created.replayed()) {
      loop.begin(created.sandbox());
    }
    return created;
  }

  private Created createOrReplay(Handle open, CreateCommand command, @Nullable IdempotencyKey key) {
    String id = ids.raw();
    if (key != null && !idempotency.keep(open, key, id)) {
      String earlier = idempotency.find(open, key).orElseThrow();
      return new Created(sandboxes.find(open, earlier).orElseThrow(), true);
    }
    return new Created(record(open, id, command), false);
  }

  private Sandbox record(Handle open, String id, CreateCommand command) {
    quota.reserve(open, command.asked());
    Sandbox recorded = sandboxes.insert(open, fresh(id, command), Claims.SECONDS);
    return worker.begin(open, recorded);
  }

  /**
   * Does what must come before {@link #create(Handle, CreateCommand)}, outside of any transaction.
   *
   * @param command what is wanted
   * @throws ProblemException NO_CANDIDATE
   */
  public void prepare(CreateCommand command) {
    router.prepare(command.extensionId(), command.spec());
  }

  /**
   * Records a sandbox in the caller's transaction, and has it established once that is committed.
   *
   * @param open the transaction
   * @param command what is wanted
   * @return the sandbox
   * @throws ProblemException QUOTA_EXCEEDED
   */
  public Sandbox create(Handle open, CreateCommand command) {
    Sandbox recorded = record(open, ids.raw(), command);
    open.afterCommit(() -> loop.begin(recorded));
    return recorded;
  }

  /**
   * Wishes a sandbox gone in the caller's transaction. Repeatable.
   *
   * @param open the transaction
   * @param id raw id
   * @param reason why, unless one is recorded already
   */
  public void end(Handle open, String id, EndReason reason) {
    int wished =
        open.createUpdate(
                """
                update sandbox set desired = 'gone', due_at = clock_timestamp(),
                  end_reason = coalesce(end_reason, :reason),
                  trace_parent = case when desired = 'gone' then trace_parent else :trace end
                where id = :id and state not in ('destroying', 'destroyed')
                """)
            .bind("reason", reason.text())
            .bind("trace", tracing.header())
            .bind("id", id)
            .execute();
    if (wished == 1) {
      open.afterCommit(() -> loop.nudge(id));
    }
  }

  private NewSandbox fresh(String id, CreateCommand command) {
    String spec = json.text(command.spec());
    return new NewSandbox(
        id,
        command.tenantId(),
        command.principalId(),
        command.spec().profileId(),
        command.spec().profileVersion(),
        command.extensionId(),
        spec,
        sha256(spec),
        command.consumer(),
        command.labels(),
        List.copyOf(command.environment().keySet()),
        environments.seal(id, command.environment()),
        Capability.narrowed(command.capabilities()),
        command.ttlSeconds(),
        command.idleSeconds(),
        command.spec().hardTtl().toSeconds(),
        claims.owner(),
        tracing.header());
  }

  /**
   * Wishes a sandbox gone. Repeatable.
   *
   * @param sandbox as read
   * @return the row now
   */
  public Sandbox delete(Sandbox sandbox) {
    Optional<Sandbox> wished =
        jdbi
            .inTransaction(
                open ->
                    sandboxes.rows(
                        open.createQuery(
                                """
                                update sandbox set desired = 'gone', due_at = clock_timestamp(),
                                  end_reason = coalesce(end_reason, 'requested'),
                                  trace_parent = case when desired = 'gone' then trace_parent
                                    else :trace end
                                where id = :id and state not in ('destroying', 'destroyed')
                                returning *
                                """)
                            .bind("trace", tracing.header())
                            .bind("id", sandbox.id())))
            .stream()
            .findFirst();
    failpoints.reach("delete.wanted");
    wished.ifPresent(row -> loop.nudge(row.id()));
    return wished.orElseGet(() -> now(sandbox));
  }

  /**
   * Establishes a sandbox anew as its next generation.
   *
   * @param sandbox as read
   * @param generation that the caller knows
   * @return the row now
   * @throws ProblemException GENERATION_CONFLICT, INVALID_STATE or QUOTA_EXCEEDED
   */
  public Sandbox recreate(Sandbox sandbox, int generation) {
    checkGeneration(sandbox, generation);
    Optional<Sandbox> again =
        jdbi.inTransaction(
            open -> {
              Optional<Sandbox> row = sandboxes.apply(open, again(sandbox, generation));
              row.ifPresent(fresh -> debts.oweBefore(open, fresh.id(), fresh.generation()));
              return row;
            });
    Sandbox fresh = again.orElseThrow(() -> refused(now(sandbox), generation));
    loop.begin(fresh);
    loop.nudgeCleaning();
    return fresh;
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
        .when(NOT_CLAIMED)
        .set("claim_owner", claims.owner())
        .set("trace_parent", tracing.header())
        .setSql("claim_token", "claim_token + 1")
        .setSql("claim_until", "clock_timestamp() + interval '" + Claims.SECONDS + " s'")
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
            + " active, suspended, expired or failed, wanted, and within its hard limit");
  }

  /**
   * Moves the end of the TTL, counted from now, never beyond the hard limit.
   *
   * @param sandbox as read
   * @param ttlSeconds from now
   * @return the row now
   * @throws ProblemException INVALID_STATE if it is not alive
   */
  public Sandbox extendTtl(Sandbox sandbox, long ttlSeconds) {
    return jdbi
        .inTransaction(
            open ->
                sandboxes.rows(
                    open.createQuery(
                            """
                            update sandbox set ttl_seconds = :ttl,
                              expires_at = case when expires_at is null then null else
                                least(clock_timestamp() + make_interval(secs => :ttl),
                                  hard_expires_at) end
                            where id = :id and desired <> 'gone' and state in
                              ('requested', 'provisioning', 'ready', 'active', 'suspended')
                            returning *
                            """)
                        .bind("ttl", ttlSeconds)
                        .bind("id", sandbox.id())))
        .stream()
        .findFirst()
        .orElseThrow(() -> invalid(now(sandbox), "its TTL cannot be extended"));
  }

  /**
   * Marks a ready sandbox as in use.
   *
   * @param sandbox as read
   * @return the row now
   * @throws ProblemException INVALID_STATE unless it is ready or active
   */
  public Sandbox activate(Sandbox sandbox) {
    Optional<Sandbox> changed =
        sandboxes.apply(
            Change.to(sandbox.id(), SandboxState.ACTIVE)
                .when("desired = 'running'")
                .setSql("active_at", "coalesce(active_at, clock_timestamp())"));
    Sandbox now = changed.orElseGet(() -> now(sandbox));
    if (now.state() != SandboxState.ACTIVE || now.desired() == Desired.GONE) {
      throw invalid(now, "it cannot be activated");
    }
    return now;
  }

  private Sandbox now(Sandbox sandbox) {
    return sandboxes.find(sandbox.id()).orElseThrow();
  }

  private static ProblemException invalid(Sandbox sandbox, String what) {
    return new ProblemException(
        ErrorCode.INVALID_STATE,
        "the sandbox is %s (desired %s): %s"
            .formatted(sandbox.state().text(), sandbox.desired().text(), what));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * A recorded sandbox.
   *
   * @param sandbox its row
   * @param replayed whether an earlier request with the same key had recorded it
   */
  public record Created(Sandbox sandbox, boolean replayed) {}
}
