package dev.sandboxer.platform.provisioning;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/** What is still to be removed, for the people who operate the installation. */
@ApplicationScoped
public class CleanupDebt {

  /** From this one on, a clean-up that fails is reported: the first may meet a busy moment. */
  static final int FAILURES_TO_REPORT = 2;

  private static final String STATUS =
      """
      select count(*) as waiting, count(*) filter (where cleanup_failures >= :failures) as failing
      from attempt where cleanup = 'pending'
      """;

  private static final String OLDEST =
      """
      select 'sb_' || sandbox_id as sandbox, id as attempt, ended_at as since,
        coalesce(cleanup_report->'left'->0->>'reason', 'unknown') as reason
      from attempt where cleanup = 'pending' and cleanup_failures >= :failures
      order by ended_at nulls last, id limit 1
      """;

  private final Jdbi jdbi;

  CleanupDebt(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Attempts that are not seen clean.
   *
   * @param waiting all of them
   * @param failing those whose clean-up has failed repeatedly
   * @param oldest the one of these that ended first, null without any
   */
  public record Status(long waiting, long failing, @Nullable Failing oldest) {}

  /**
   * A clean-up that fails.
   *
   * @param sandbox public id
   * @param attempt its id
   * @param since when the attempt ended
   * @param reason for a person
   */
  public record Failing(String sandbox, String attempt, @Nullable Instant since, String reason) {}

  /**
   * How much there is now.
   *
   * @return of the whole installation
   */
  public Status status() {
    return jdbi.withHandle(
        open -> {
          Optional<Failing> oldest =
              open.createQuery(OLDEST)
                  .bind("failures", FAILURES_TO_REPORT)
                  .map(ConstructorMapper.of(Failing.class))
                  .findFirst();
          return open.createQuery(STATUS)
              .bind("failures", FAILURES_TO_REPORT)
              .map(
                  (row, _) ->
                      new Status(
                          row.getLong("waiting"), row.getLong("failing"), oldest.orElse(null)))
              .one();
        });
  }
}
