package dev.sandboxer.platform.routing;

import java.util.List;
import java.util.Map;

/**
 * Where a sandbox may go.
 *
 * @param candidates in the order to try
 * @param rejected extension id to the reason why it is no candidate
 * @param profileKeys keys of the profile that would change a rejection
 */
public record Route(
    List<Candidate> candidates, Map<String, String> rejected, List<String> profileKeys) {

  /** Keeps immutable copies. */
  public Route {
    candidates = List.copyOf(candidates);
    rejected = Map.copyOf(rejected);
    profileKeys = List.copyOf(profileKeys);
  }
}
