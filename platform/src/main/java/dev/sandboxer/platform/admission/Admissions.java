package dev.sandboxer.platform.admission;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code admission}, one row a workspace. Whoever decides by a row holds its lock until
 * the end of the transaction, so that what was counted still holds when something is made.
 */
@ApplicationScoped
public class Admissions {

  private static final String ROW =
      """
      select *, expires_at <= clock_timestamp() as expired from admission
      where tenant_id = :tenantId and instance = :instance and workspace = :id
      """;

  private static final String INSERT =
      """
      insert into admission (tenant_id, instance, workspace) values (:tenantId, :instance, :id)
      on conflict do nothing
      """;

  private static final String SEEN =
      """
      update admission set generation = :generation
      where tenant_id = :tenantId and instance = :instance and workspace = :id and generation < :generation
      """;

  private static final String GRANT =
      """
      update admission set revision = :revision, granted = true, expires_at = greatest(:expires, case when granted and revision = :revision and generation = :generation then expires_at end),
        max_sessions = :sessions, max_managed_processes = :processes, generation = greatest(generation, :generation)
      where tenant_id = :tenantId and instance = :instance and workspace = :id
      returning *, expires_at <= clock_timestamp() as expired
      """;

  private static final String REVOKE =
      """
      update admission set revision = :revision, granted = false
      where tenant_id = :tenantId and instance = :instance and workspace = :id
      """;

  private final Jdbi jdbi;

  Admissions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A row as read. */
  private record Row(
      long generation,
      long revision,
      boolean granted,
      boolean expired,
      @Nullable Instant expiresAt,
      int maxSessions,
      int maxManagedProcesses) {

    AdmissionGrant grant() {
      return new AdmissionGrant(
          generation,
          revision,
          expiresAt == null ? Instant.EPOCH : expiresAt,
          maxSessions,
          maxManagedProcesses);
    }

    boolean sameLimits(AdmissionGrant other) {
      return maxSessions == other.maxSessions()
          && maxManagedProcesses == other.maxManagedProcesses();
    }
  }

  /**
   * Remembers the newest placement of a workspace.
   *
   * @param workspace whose
   * @param generation of the placement that asks, from 1
   * @throws AdmissionRefusedException if a newer one was seen
   */
  public void observe(Workspace workspace, long generation) {
    long newest = newest(workspace);
    if (generation > newest) {
      jdbi.useTransaction(
          open -> {
            Row row = locked(open, workspace);
            checkCurrent(row.generation(), generation);
            open.createUpdate(SEEN).bindMethods(workspace).bind("generation", generation).execute();
          });
    } else {
      checkCurrent(newest, generation);
    }
  }

  /**
   * The newest placement of a workspace.
   *
   * @param workspace whose
   * @return 0 if none was seen
   */
  public long newest(Workspace workspace) {
    return jdbi.withHandle(open -> find(open, workspace)).map(Row::generation).orElse(0L);
  }

  private static void checkCurrent(long newest, long generation) {
    if (generation < newest) {
      throw new AdmissionRefusedException(
          "placement generation %d is stale, generation %d was seen".formatted(generation, newest));
    }
  }

  /**
   * Stores a grant. The same one again, or one that only ends earlier, changes nothing.
   *
   * @param workspace whose
   * @param grant to store
   * @return as it is in force
   * @throws AdmissionRefusedException if its revision or generation is older than one that was
   *     seen, or was revoked, if it has other limits than the same revision had, or has expired
   */
  public AdmissionGrant grant(Workspace workspace, AdmissionGrant grant) {
    return jdbi.inTransaction(
        open -> {
          Row row = locked(open, workspace);
          checkOrder(row, grant);
          Row now =
              open.createQuery(GRANT)
                  .bindMethods(workspace)
                  .bind("generation", grant.generation())
                  .bind("revision", grant.revision())
                  .bind("expires", grant.expiresAt().atOffset(ZoneOffset.UTC))
                  .bind("sessions", grant.maxSessions())
                  .bind("processes", grant.maxManagedProcesses())
                  .map((found, _) -> map(found))
                  .one();
          if (now.expired()) {
            throw new AdmissionRefusedException("the grant has expired already");
          }
          return now.grant();
        });
  }

  private static void checkOrder(Row row, AdmissionGrant grant) {
    if (grant.revision() < row.revision()) {
      throw new AdmissionRefusedException(
          "entitlement revision %d is stale, revision %d was seen"
              .formatted(grant.revision(), row.revision()));
    }
    checkCurrent(row.generation(), grant.generation());
    if (grant.revision() == row.revision()) {
      if (!row.granted()) {
        throw new AdmissionRefusedException(
            "entitlement revision %d was revoked".formatted(grant.revision()));
      }
      if (!row.sameLimits(grant)) {
        throw new AdmissionRefusedException(
            "the limits changed without a new entitlement revision");
      }
    }
  }

  /**
   * Takes back what was granted, up to a revision.
   *
   * @param workspace whose
   * @param revision no grant of it or of an older one counts any more
   * @throws AdmissionRefusedException if a newer revision was seen
   */
  public void revoke(Workspace workspace, long revision) {
    jdbi.useTransaction(
        open -> {
          Row row = locked(open, workspace);
          if (revision < row.revision()) {
            throw new AdmissionRefusedException(
                "revocation of entitlement revision %d is stale, revision %d was seen"
                    .formatted(revision, row.revision()));
          }
          open.createUpdate(REVOKE).bindMethods(workspace).bind("revision", revision).execute();
        });
  }

  /**
   * The grant that is in force.
   *
   * @param workspace whose
   * @param required whether a workspace without any grant may have nothing
   * @return empty if nothing was ever granted, so that there is no limit
   * @throws AdmissionRefusedException if it was revoked or has expired, or is missing and required
   */
  public Optional<AdmissionGrant> inForce(Workspace workspace, boolean required) {
    Optional<Row> row = jdbi.withHandle(open -> find(open, workspace));
    return decide(row, required);
  }

  /**
   * Lets one more box be made.
   *
   * @param open the transaction that makes it
   * @param workspace whose
   * @param required whether a workspace without any grant may have nothing
   * @param living counts the living boxes of the workspace
   * @throws AdmissionRefusedException if there may be no further one
   */
  public void admitBox(
      Handle open, Workspace workspace, boolean required, ToIntFunction<Handle> living) {
    decide(Optional.of(locked(open, workspace)), required)
        .filter(grant -> living.applyAsInt(open) >= grant.maxSessions())
        .ifPresent(
            grant -> {
              throw new AdmissionRefusedException(
                  "the grant permits %d sessions at once, and there are as many"
                      .formatted(grant.maxSessions()));
            });
  }

  /**
   * The grant in force, and the lock of its row.
   *
   * @param open a transaction
   * @param workspace whose
   * @param required as for {@link #inForce(Workspace, boolean)}
   * @return as for {@link #inForce(Workspace, boolean)}
   */
  Optional<AdmissionGrant> lock(Handle open, Workspace workspace, boolean required) {
    return decide(Optional.of(locked(open, workspace)), required);
  }

  private static Optional<AdmissionGrant> decide(Optional<Row> row, boolean required) {
    if (row.isEmpty() || row.get().revision() == 0) {
      if (required) {
        throw new AdmissionRefusedException("the workspace has no admission grant");
      }
      return Optional.empty();
    }
    if (!row.get().granted()) {
      throw new AdmissionRefusedException("the workspace's admission grant was revoked");
    }
    if (row.get().expired()) {
      throw new AdmissionRefusedException("the workspace's admission grant has expired");
    }
    return row.map(Row::grant);
  }

  private static Optional<Row> find(Handle open, Workspace workspace) {
    return open.createQuery(ROW).bindMethods(workspace).map((row, _) -> map(row)).findOne();
  }

  private static Row locked(Handle open, Workspace workspace) {
    open.createUpdate(INSERT).bindMethods(workspace).execute();
    return open.createQuery(ROW + " for update")
        .bindMethods(workspace)
        .map((row, _) -> map(row))
        .one();
  }

  private static Row map(ResultSet row) throws SQLException {
    OffsetDateTime expires = row.getObject("expires_at", OffsetDateTime.class);
    return new Row(
        row.getLong("generation"),
        row.getLong("revision"),
        row.getBoolean("granted"),
        row.getBoolean("expired"),
        expires == null ? null : expires.toInstant(),
        row.getInt("max_sessions"),
        row.getInt("max_managed_processes"));
  }
}
