package dev.sandboxer.platform.session;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.token.TokenClaims;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Ends scopes. The end of a thread or run is remembered for as long as a token from before can be
 * shown: where threads share a sandbox, that goes on, but nobody renews a token for an ended one,
 * and new tokens of the session itself name it no more.
 */
@ApplicationScoped
class ScopeEnds {

  private static final String BOUND =
      """
      select id, sandbox_id from session
      where tenant_id = :tenant and ended_at is null
        and ((scope_type = :type and scope_id = :id)
          or (scope_type = 'run' and :type = 'thread' and thread_id = :id))
      """;

  private static final String REMEMBER =
      """
      insert into scope_end (tenant_id, scope_type, scope_id) values (:tenant, :type, :id)
      on conflict (tenant_id, scope_type, scope_id) do update set ended_at = clock_timestamp()
      """;

  private static final String ENDED =
      """
      select exists (select 1 from scope_end
        where tenant_id = :tenant and scope_type = :type and scope_id = :id
          and ended_at >= to_timestamp(:since))
      """;

  private final Jdbi jdbi;
  private final SessionEnds ends;

  ScopeEnds(Jdbi jdbi, SessionEnds ends) {
    this.jdbi = jdbi;
    this.ends = ends;
  }

  int end(String tenantId, Scope scope) {
    boolean named = scope.type() == ScopeType.THREAD || scope.type() == ScopeType.RUN;
    if (named) {
      remember(tenantId, scope);
    }
    int ended = endBound(tenantId, scope);
    if (named) {
      forget(tenantId, scope);
    }
    return ended;
  }

  private int endBound(String tenantId, Scope scope) {
    int ended = 0;
    for (Bound bound : bound(tenantId, scope)) {
      boolean now =
          jdbi.inTransaction(
              open -> ends.end(open, bound.id(), bound.sandboxId(), EndReason.SCOPE_ENDED));
      ended += now ? 1 : 0;
    }
    return ended;
  }

  private void remember(String tenantId, Scope scope) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(REMEMBER)
                .bind("tenant", tenantId)
                .bind("type", scope.type().text())
                .bind("id", scope.id())
                .execute());
  }

  /** For sessions that go on although the thread or run is over that they were made for. */
  private void forget(String tenantId, Scope scope) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    update session set %1$s = null
                    where tenant_id = :tenant and %1$s = :id and ended_at is null
                    """
                        .formatted(scope.type().text() + "_id"))
                .bind("tenant", tenantId)
                .bind("id", scope.id())
                .execute());
  }

  private List<Bound> bound(String tenantId, Scope scope) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(BOUND)
                .bind("tenant", tenantId)
                .bind("type", scope.type().text())
                .bind("id", scope.id())
                .map((row, _) -> new Bound(row.getString(1), new SandboxId(row.getString(2))))
                .list());
  }

  /** Whether the thread or run of a token has ended since the token was made. */
  boolean ended(String tenantId, TokenClaims claims) {
    return ended(tenantId, ScopeType.THREAD, claims.threadId(), claims.notBefore())
        || ended(tenantId, ScopeType.RUN, claims.runId(), claims.notBefore());
  }

  private boolean ended(String tenantId, ScopeType type, @Nullable String id, long since) {
    return Optional.ofNullable(id)
        .map(
            scope ->
                jdbi.withHandle(
                    handle ->
                        handle
                            .createQuery(ENDED)
                            .bind("tenant", tenantId)
                            .bind("type", type.text())
                            .bind("id", scope)
                            .bind("since", since)
                            .mapTo(Boolean.class)
                            .one()))
        .orElse(false);
  }

  /** Forgets ends from before any token that can still be shown. */
  @RunOnVirtualThread
  @Scheduled(identity = "scope ends", every = "10m", concurrentExecution = SKIP)
  void sweep() {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "delete from scope_end where ended_at < clock_timestamp() - interval '1 day'"));
  }

  private record Bound(String id, SandboxId sandboxId) {}
}
