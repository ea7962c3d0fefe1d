package dev.sandboxer.platform.idempotency;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.MessageDigest;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;

/** Which create made what, for 24 hours. Written in the create's own transaction. */
@ApplicationScoped
public class IdempotencyKeys {

  private static final String WHERE =
      """
       where tenant_id = :tenantId and principal_id = :principalId and route = :route and key = :key
      """;

  private final Jdbi jdbi;

  IdempotencyKeys(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Finds what an earlier create with this key made.
   *
   * @param handle to read with
   * @param key of the caller
   * @return the resource's id, empty if the key is new
   * @throws ProblemException IDEMPOTENCY_KEY_REUSED if it was used with another body
   */
  public Optional<String> find(Handle handle, IdempotencyKey key) {
    return bind(
            handle.createQuery(
                "select fingerprint, resource_id from idempotency"
                    + WHERE
                    + " and expires_at > clock_timestamp()"),
            key)
        .map((row, _) -> checked(key, row.getBytes(1), row.getString(2)))
        .findOne();
  }

  /**
   * Keeps the key. Waits for a create with the same key that is under way.
   *
   * @param transaction of the create
   * @param key of the caller
   * @param resourceId what the create makes
   * @return false if the key is taken; the create must not go on, {@link #find} tells by what
   */
  public boolean keep(Handle transaction, IdempotencyKey key, String resourceId) {
    bind(
            transaction.createUpdate(
                "delete from idempotency" + WHERE + " and expires_at <= clock_timestamp()"),
            key)
        .execute();
    return bind(
                transaction.createUpdate(
                    """
                    insert into idempotency
                      (tenant_id, principal_id, route, key, fingerprint, resource_id, expires_at)
                    values (:tenantId, :principalId, :route, :key, :fingerprint, :resource,
                      clock_timestamp() + interval '24 hours')
                    on conflict do nothing
                    """),
                key)
            .bind("fingerprint", key.fingerprint())
            .bind("resource", resourceId)
            .execute()
        == 1;
  }

  /** Forgets what is older than 24 hours. */
  @RunOnVirtualThread
  @Scheduled(identity = "idempotency keys", every = "10m", concurrentExecution = SKIP)
  void sweep() {
    jdbi.useHandle(
        handle -> handle.execute("delete from idempotency where expires_at <= clock_timestamp()"));
  }

  private static String checked(IdempotencyKey key, byte[] fingerprint, String resourceId) {
    if (!MessageDigest.isEqual(key.fingerprint(), fingerprint)) {
      throw new ProblemException(
          ErrorCode.IDEMPOTENCY_KEY_REUSED,
          "Idempotency-Key '"
              + key.key()
              + "' was used with another body within the last 24 hours; choose a new key");
    }
    return resourceId;
  }

  private static <T extends SqlStatement<T>> T bind(T statement, IdempotencyKey key) {
    return statement
        .bind("tenantId", key.tenantId())
        .bind("principalId", key.principalId())
        .bind("route", key.route())
        .bind("key", key.key());
  }
}
