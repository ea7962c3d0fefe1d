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
 * @param strategy that ordered the candidates
 * @param candidates in the order to try
 * @param rejected places that cannot run it
 */
public record Plan(String strategy, List<Choice> candidates, List<Rejection> rejected) {

  /** Keeps immutable copies. */
  public Plan {
    candidates = List.copyOf(candidates);
    rejected = List.copyOf(rejected);
  }

  /**
   * Makes sure that there is a place at all.
   *
   * @param profile of the sandbox, for the message
   * @return this
   * @throws ProblemException NO_CANDIDATE if there is none, with the reasons and the profile's
   *     keys; retryable if one may be there later
   */
  public Plan any(ProfileRef profile) {
    if (candidates.isEmpty()) {
      throw new ProblemException(none(profile));
    }
    return this;
  }

  /** Whether a rejection may pass without a change of the profile. */
  boolean maySoon() {
    return rejected.stream().anyMatch(Rejection::passes);
  }

  private Problem none(ProfileRef profile) {
    String keys =
        rejected.stream()
            .flatMap(one -> one.reasons().stream())
            .map(Rejection.Reason::profileKey)
            .distinct()
            .collect(Collectors.joining(", "));
    boolean later = maySoon();
    String detail =
        "no backend can run %s%s: %s"
            .formatted(profile.id(), later ? " now" : "", String.join("; ", reasons().values()));
    Problem problem =
        later ? Problem.noCandidateNow(detail) : Problem.of(ErrorCode.NO_CANDIDATE, detail);
    return problem.with("rejected", reasons()).with("profile_key", keys);
  }

  /**
   * Why backends were rejected.
   *
   * @return extension id, with the host where there are several, to sentences, each of which begins
   *     with the key of the profile
   */
  public Map<String, String> reasons() {
    Map<String, Long> times =
        rejected.stream()
            .collect(Collectors.groupingBy(one -> one.extension().text(), Collectors.counting()));
    Map<String, String> reasons = new LinkedHashMap<>();
    rejected.forEach(
        one ->
            reasons.put(
                times.getOrDefault(one.extension().text(), 1L) == 1
                    ? one.extension().text()
                    : one.extension().text() + " on " + one.host(),
                one.reasons().stream()
                    .map(Rejection.Reason::toString)
                    .collect(Collectors.joining("; "))));
    return reasons;
  }
}
