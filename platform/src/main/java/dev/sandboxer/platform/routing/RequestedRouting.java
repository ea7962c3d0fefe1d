package dev.sandboxer.platform.routing;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about routing, where its profile lets it.
 *
 * @param strategy null for the profile's
 * @param candidates some of the profile's, empty for all of them
 * @param require on top of the profile's
 * @param prefer instead of the profile's, empty for those
 */
public record RequestedRouting(
    @Nullable String strategy,
    List<Routing.Wanted> candidates,
    Routing.Require require,
    Map<String, String> prefer) {

  /** Keeps immutable copies. */
  public RequestedRouting {
    candidates = List.copyOf(candidates);
    prefer = Map.copyOf(prefer);
  }
}
