package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.GoneNodes;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Who works on a sandbox. Each claim raises the sandbox's claim token, and each write of the worker
 * demands it. A restarted node takes its own older claims at once.
 */
@ApplicationScoped
class Claims {

  /** How long a claim holds without being renewed. */
  static final int SECONDS = 15;

  /** The end of a claim that begins now. */
  static final String UNTIL = "clock_timestamp() + interval '" + SECONDS + " s'";

  private static final String FREE =
      """
      (claim_until is null or claim_until < clock_timestamp()
       or (claim_owner <> :owner and claim_owner like :node || '/%'))
      """;

  /** This node's own hosts, and those that every node reaches. */
  static final String REACHABLE = "select id from host where node_id = :node or node_id is null";

  /** An end is written down by any node; what is to run is made where its host is reached. */
  private static final String HERE =
      "(desired = 'gone' or host_id is null or host_id in (" + REACHABLE + "))";

  /** If the node that reaches the host is gone, another node continues its work. */
  private static final String DUE =
      """
      id in (
        select id from sandbox
        where due_at <= clock_timestamp()
          and (state in ('requested', 'provisioning', 'suspending', 'resuming', 'expired')
               or (state = 'suspended' and desired = 'running')
               or (desired = 'gone' and state not in ('destroying', 'destroyed')))
          and (host_id is null or host_id in (%s)
            or host_id in (select id from host where node_id = any(:gone)))
          and %s
        order by due_at limit :limit for update skip locked)
      """
          .formatted(REACHABLE, FREE);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Hosts hosts;
  private final GoneNodes goneNodes;

  Claims(Jdbi jdbi, Sandboxes sandboxes, Hosts hosts, GoneNodes goneNodes) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.hosts = hosts;
    this.goneNodes = goneNodes;
  }

  String owner() {
    return hosts.node().claimOwner();
  }

  List<Sandbox> due(int limit) {
    return jdbi.inTransaction(
        open ->
            sandboxes.applyAll(
                open,
                taken(Change.quiet())
                    .when(DUE, "limit", limit)
                    .value("gone", goneNodes.ids().toArray(String[]::new))));
  }

  Optional<Sandbox> one(SandboxId id) {
    return sandboxes.apply(take(Change.quiet(id)).when(HERE));
  }

  /** Also claims the row; the change then happens only while nobody else has it claimed. */
  Change take(Change change) {
    return taken(change).when(FREE);
  }

  private Change taken(Change change) {
    return change
        .set("claim_owner", owner())
        .setSql("claim_token", "claim_token + 1", "owner", owner())
        .setSql("claim_until", UNTIL, "node", hosts.node().id());
  }

  /** Renews the claims of these sandboxes; returns those that still are this node's. */
  List<Sandbox> renew(Collection<SandboxId> ids) {
    return jdbi.inTransaction(
        open ->
            sandboxes.applyAll(
                open,
                Change.quiet()
                    .setSql("claim_until", UNTIL)
                    .when(
                        "id = any(:ids)",
                        "ids",
                        ids.stream().map(SandboxId::raw).toArray(String[]::new))
                    .when("claim_owner = :owner", "owner", owner())));
  }

  /**
   * Releases all claims of this node and fences its workers off. Any node that reaches the host can
   * claim the work at once.
   */
  void handOver() {
    jdbi.useTransaction(
        open ->
            sandboxes.applyAll(
                open,
                Change.quiet()
                    .when("claim_owner = :owner", "owner", owner())
                    .setSql("claim_token", "claim_token + 1")
                    .setSql("due_at", "clock_timestamp()")
                    .release()));
  }

  /**
   * Releases a sandbox, so that the node that reaches its host claims it at once. That claim is the
   * first one that works on the attempt.
   *
   * @return empty if the claim was lost
   */
  Optional<Sandbox> letGo(Handle open, Sandbox sandbox) {
    WorkSignal.send(open, sandbox.hostId());
    return sandboxes.apply(
        open,
        Change.quiet(sandbox.id())
            .claimed(sandbox.claimToken())
            .release()
            .setSql("due_at", "clock_timestamp()")
            .with("update attempt set claim_token = :token + 1 where id = :attempt")
            .value("attempt", sandbox.attemptId()));
  }

  /** Gives a claim back, due again after some time. */
  void release(Sandbox sandbox, int dueInSeconds) {
    var _ =
        sandboxes.apply(
            Change.quiet(sandbox.id())
                .claimed(sandbox.claimToken())
                .release()
                .setSql(
                    "due_at",
                    "clock_timestamp() + make_interval(secs => :due)",
                    "due",
                    dueInSeconds));
  }
}
