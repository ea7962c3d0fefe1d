package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Who works on a sandbox. Each claim raises the sandbox's claim token, and each write of the worker
 * demands it. A restarted node takes its own older claims at once.
 */
@ApplicationScoped
class Claims {

  /** How long a claim holds without being renewed. */
  static final int SECONDS = 15;

  private static final String FREE =
      """
      (claim_until is null or claim_until < clock_timestamp()
       or (claim_owner <> :owner and claim_owner like :node || '/%'))
      """;

  private static final String TAKE =
      """
      update sandbox set claim_owner = :owner, claim_token = claim_token + 1,
        claim_until = clock_timestamp() + make_interval(secs => :seconds)
      """;

  private static final String DUE =
      TAKE
          + """
      where id in (
        select id from sandbox
        where due_at <= clock_timestamp()
          and (state in ('requested', 'provisioning', 'expired')
               or (desired = 'gone' and state not in ('destroying', 'destroyed')))
          and (host_id is null or host_id in (select id from host where node_id = :node))
          and\s"""
          + FREE
          + " order by due_at limit :limit for update skip locked) returning *";

  private static final String ONE = TAKE + " where id = :id and " + FREE + " returning *";

  private static final String RENEW =
      """
      update sandbox set claim_until = clock_timestamp() + make_interval(secs => :seconds)
      where id = any(:ids) and claim_owner = :owner
      returning *
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Hosts hosts;

  Claims(Jdbi jdbi, Sandboxes sandboxes, Hosts hosts) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.hosts = hosts;
  }

  String owner() {
    return hosts.node().claimOwner();
  }

  List<Sandbox> due(int limit) {
    return jdbi.inTransaction(
        transaction ->
            sandboxes.rows(
                transaction
                    .createQuery(DUE)
                    .bind("owner", owner())
                    .bind("node", hosts.node().id())
                    .bind("seconds", SECONDS)
                    .bind("limit", limit)));
  }

  Optional<Sandbox> one(String id) {
    return jdbi
        .inTransaction(
            transaction ->
                sandboxes.rows(
                    transaction
                        .createQuery(ONE)
                        .bind("owner", owner())
                        .bind("node", hosts.node().id())
                        .bind("seconds", SECONDS)
                        .bind("id", id)))
        .stream()
        .findFirst();
  }

  /** Renews the claims of these sandboxes; returns those that still are this node's. */
  List<Sandbox> renew(Collection<String> ids) {
    return jdbi.inTransaction(
        transaction ->
            sandboxes.rows(
                transaction
                    .createQuery(RENEW)
                    .bindArray("ids", String.class, ids.toArray())
                    .bind("owner", owner())
                    .bind("seconds", SECONDS)));
  }

  /** Gives a claim back, due again after some time. */
  void release(Sandbox sandbox, int dueInSeconds) {
    jdbi.useTransaction(
        transaction ->
            transaction
                .createUpdate(
                    """
                    update sandbox set claim_owner = null, claim_until = null,
                      due_at = clock_timestamp() + make_interval(secs => :seconds)
                    where id = :id and claim_token = :token
                    """)
                .bind("seconds", dueInSeconds)
                .bind("id", sandbox.id())
                .bind("token", sandbox.claimToken())
                .execute());
  }
}
