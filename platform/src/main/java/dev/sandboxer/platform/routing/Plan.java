package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.ProfileRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where one generation of a sandbox may go.
 *
 * @param candidates in the order to try
 * @param rejected backends that the profile allows and that cannot run it
 */
public record Plan(List<Candidate> candidates, List<Rejection> rejected) {

  /** Keeps immutable copies. */
  public Plan {
    candidates = List.copyOf(candidates);
    rejected = List.copyOf(rejected);
  }

  /**
   * The candidate to begin with.
   *
   * @param profile of the sandbox, for the message
   * @return the first
   * @throws ProblemException NO_CANDIDATE if there is none, with the reasons and the profile's keys
   */
  public Candidate first(ProfileRef profile) {
    if (candidates.isEmpty()) {
      throw new ProblemException(none(profile));
    }
    return candidates.getFirst();
  }

  private Problem none(ProfileRef profile) {
    String keys =
        rejected.stream()
            .flatMap(one -> one.reasons().stream())
            .map(Rejection.Reason::profileKey)
            .distinct()
            .collect(Collectors.joining(", "));
    return Problem.of(
            ErrorCode.NO_CANDIDATE,
            "no backend can run %s: %s"
                .formatted(profile.id(), String.join("; ", reasons().values())))
        .with("rejected", reasons())
        .with("profile_key", keys);
  }

  /**
   * Why backends were rejected.
   *
   * @return extension id to sentences, each of which begins with the key of the profile
   */
  public Map<String, String> reasons() {
    Map<String, String> reasons = new LinkedHashMap<>();
    rejected.forEach(
        one ->
            reasons.put(
                one.extension().text(),
                one.reasons().stream()
                    .map(Rejection.Reason::toString)
                    .collect(Collectors.joining("; "))));
    return reasons;
  }
}
