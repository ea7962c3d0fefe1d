package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Clean-ups that are not done, one by one, and the operator's word that one never will be. */
@ApplicationScoped
public class OpenCleanups {

  private static final Logger LOG = Logger.getLogger(OpenCleanups.class);

  private static final String OLDEST =
      """
      select *, coalesce(extract(epoch from clock_timestamp() - ended_at), 0) as age
      from attempt where cleanup = 'pending' %s
      order by coalesce(ended_at, 'epoch'), id limit :limit
      """;

  private static final String FIRST = OLDEST.formatted("");

  private static final String NEXT =
      OLDEST.formatted("and (coalesce(ended_at, 'epoch'), id) > (:after_at, :after_id)");

  /** The next token keeps a clean-up that runs from writing its result. */
  private static final String ABANDON =
      """
      with s as materialized (select id from sandbox where id = :sandbox for update)
      update attempt a set cleanup = 'abandoned', cleaned_at = clock_timestamp(),
        cleanup_owner = null, cleanup_until = null, cleanup_token = cleanup_token + 1
      from s where a.sandbox_id = s.id and a.id = :id and a.cleanup = 'pending'
      """;

  private final Jdbi jdbi;
  private final Cleaner cleaner;

  OpenCleanups(Jdbi jdbi, Cleaner cleaner) {
    this.jdbi = jdbi;
    this.cleaner = cleaner;
  }

  /**
   * What an attempt left and nobody has seen gone.
   *
   * @param attemptId names it
   * @param sandboxId whose it is
   * @param generation of the sandbox
   * @param attempt number within the generation
   * @param extension backend
   * @param host where
   * @param since when the attempt ended
   * @param age since then
   * @param tries so far
   * @param failures tries that found what they could not remove
   * @param nextTryAt when it is due
   * @param report of the last try, JSON, null before
   */
  public record Cleanup(
      String attemptId,
      SandboxId sandboxId,
      int generation,
      int attempt,
      String extension,
      String host,
      @Nullable Instant since,
      Duration age,
      int tries,
      int failures,
      @Nullable Instant nextTryAt,
      @Nullable String report) {

    /**
     * Its place in the list.
     *
     * @return where the next page starts
     */
    public RowPosition position() {
      return new RowPosition(since == null ? Instant.EPOCH : since, attemptId);
    }
  }

  /**
   * Those of all tenants.
   *
   * @param after the last one of the page before, null for the first page
   * @param limit how many at most
   * @return the oldest first
   */
  public List<Cleanup> oldest(@Nullable RowPosition after, int limit) {
    return jdbi.withHandle(
        open -> {
          Query query = open.createQuery(after == null ? FIRST : NEXT).bind("limit", limit);
          if (after != null) {
            query
                .bind("after_at", after.at().atOffset(ZoneOffset.UTC))
                .bind("after_id", after.id());
          }
          return query.map((row, _) -> cleanup(row)).list();
        });
  }

  private static Cleanup cleanup(ResultSet row) throws SQLException {
    return new Cleanup(
        row.getString("id"),
        new SandboxId(row.getString("sandbox_id")),
        row.getInt("generation"),
        row.getInt("number"),
        row.getString("extension_id"),
        row.getString("host_id"),
        instant(row, "ended_at"),
        Duration.ofSeconds(row.getLong("age")),
        row.getInt("cleanup_tries"),
        row.getInt("cleanup_failures"),
        instant(row, "cleanup_due_at"),
        row.getString("cleanup_report"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }

  /**
   * Whose attempt it is.
   *
   * @param attemptId {@code att_...}
   * @return the sandbox
   * @throws ProblemException NOT_FOUND if there is no such attempt
   */
  public SandboxId sandboxOf(String attemptId) {
    return jdbi.withHandle(
            open ->
                open.createQuery("select sandbox_id from attempt where id = :id")
                    .bind("id", attemptId)
                    .mapTo(SandboxId.class)
                    .findOne())
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no attempt '%s'".formatted(attemptId)));
  }

  /**
   * Closes a clean-up without having seen the backend clean: its room and the tenant's quota are
   * free, and the sandbox ends if nothing else of it is open.
   *
   * @param attemptId {@code att_...}
   * @throws ProblemException NOT_FOUND, or INVALID_STATE if nothing of it is still to be removed
   */
  public void forget(String attemptId) {
    SandboxId sandbox = sandboxOf(attemptId);
    jdbi.useTransaction(
        open -> {
          abandon(open, attemptId, sandbox);
          cleaner.abandoned(open, sandbox);
        });
    LOG.warnf("clean-up is given up sandbox=%s attempt=%s", sandbox, attemptId);
  }

  private static void abandon(Handle open, String attemptId, SandboxId sandbox) {
    int abandoned =
        open.createUpdate(ABANDON).bind("id", attemptId).bind("sandbox", sandbox).execute();
    if (abandoned == 0) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "attempt '%s' has no clean-up that is open: it is in use, or seen clean"
              .formatted(attemptId));
    }
  }
}
