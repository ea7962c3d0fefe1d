package dev.sandboxer.platform.routing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.HostRef;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The plan of each generation, as it was decided. */
@ApplicationScoped
public class Routes {

  /** How long a create may go on to further candidates. */
  private static final Duration DEADLINE = Duration.ofMinutes(30);

  private static final String INSERT =
      """
      insert into route (sandbox_id, generation, candidates, rejected, deadline_at)
      values (:sandbox, :generation, cast(:candidates as jsonb), cast(:rejected as jsonb),
        clock_timestamp() + make_interval(secs => :deadline))
      """;

  private static final String NEXT =
      """
      select r.candidates -> :number ->> 'extension' as extension, h.id, h.address
      from route r join host h on h.id = r.candidates -> :number ->> 'host'
      where r.sandbox_id = :sandbox and r.generation = :generation
        and r.deadline_at > clock_timestamp()
      """;

  private final ObjectMapper json;

  Routes(ObjectMapper json) {
    this.json = json;
  }

  /**
   * Records the plan of a sandbox's generation.
   *
   * @param transaction in which the generation begins
   * @param sandbox at this generation
   * @param plan to record
   */
  public void record(Handle transaction, Sandbox sandbox, Plan plan) {
    transaction
        .createUpdate(INSERT)
        .bind("sandbox", sandbox.id())
        .bind("generation", sandbox.generation())
        .bind("candidates", text(plan.candidates().stream().map(Routes::row).toList()))
        .bind("rejected", text(plan.rejected().stream().map(Routes::row).toList()))
        .bind("deadline", DEADLINE.toSeconds())
        .execute();
  }

  /**
   * The candidate after those that were tried.
   *
   * @param transaction to read with
   * @param sandbox at this generation
   * @param tried how many attempts the generation had
   * @return empty if there is none left, or the create's deadline is over
   */
  public Optional<Candidate> next(Handle transaction, Sandbox sandbox, int tried) {
    return transaction
        .createQuery(NEXT)
        .bind("sandbox", sandbox.id())
        .bind("generation", sandbox.generation())
        .bind("number", tried)
        .map(
            (row, _) ->
                new Candidate(
                    new ExtensionId(row.getString("extension")),
                    new HostRef(row.getString("id"), row.getString("address"))))
        .findOne();
  }

  private static Map<String, Object> row(Candidate candidate) {
    return Map.of("extension", candidate.extension().text(), "host", candidate.host().id());
  }

  private static Map<String, Object> row(Rejection rejection) {
    List<Map<String, String>> reasons =
        rejection.reasons().stream()
            .map(one -> Map.of("profile_key", one.profileKey(), "message", one.message()))
            .toList();
    return Map.of(
        "extension", rejection.extension().text(), "host", rejection.host(), "reasons", reasons);
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a plan cannot be written as JSON", e);
    }
  }
}
