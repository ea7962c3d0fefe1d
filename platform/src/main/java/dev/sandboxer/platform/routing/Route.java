package dev.sandboxer.platform.routing;

import java.util.List;
import java.util.Map;

/**
 * Where a sandbox may go.
 *
 * @param candidates in the order to try
 * @param rejected extension id to the reason why it is no candidate
 */
public record Route(List<Candidate> candidates, Map<String, String> rejected) {

  /** Keeps immutable copies. */
  public Route {
    candidates = List.copyOf(candidates);
    rejected = Map.copyOf(rejected);
  }
}
