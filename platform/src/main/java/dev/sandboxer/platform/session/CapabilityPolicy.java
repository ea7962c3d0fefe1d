package dev.sandboxer.platform.session;

import dev.sandboxer.platform.access.Limits;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a onBehalfOf may do at most: what key, actor and the sandbox's profile all allow. */
@ApplicationScoped
class CapabilityPolicy {

  private final Map<Actor.Type, Set<Capability>> actors;

  CapabilityPolicy(SessionSettings settings) {
    this.actors = settings.actorCapabilities();
  }

  /**
   * Refuses a scope that the key is not meant for.
   *
   * @throws ProblemException FORBIDDEN
   */
  void checkScope(OnBehalfOf onBehalfOf, Scope scope) {
    Limits limits = onBehalfOf.principal().limits();
    if (!limits.allowsScope(scope.type().text(), scope.id())) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key may not use %s; it is limited to %s".formatted(scope, limits.scopes()));
    }
  }

  /**
   * Cuts a request for capabilities down to what is allowed.
   *
   * @param profile what the profile of the sandbox allows
   * @param wanted all that are allowed if empty
   * @throws ProblemException CAPABILITY_DENIED if nothing is left
   */
  Set<Capability> grant(
      OnBehalfOf onBehalfOf, Set<Capability> profile, Optional<Set<Capability>> wanted) {
    Set<Capability> allowed = allowed(onBehalfOf);
    allowed.retainAll(profile);
    Set<Capability> granted = EnumSet.noneOf(Capability.class);
    granted.addAll(wanted.orElse(allowed));
    granted.retainAll(allowed);
    if (granted.isEmpty()) {
      throw denied(wanted.orElse(Capability.grantable()), allowed);
    }
    return granted;
  }

  private Set<Capability> allowed(OnBehalfOf onBehalfOf) {
    Set<Capability> allowed = EnumSet.noneOf(Capability.class);
    for (Capability capability : Capability.grantable()) {
      if (onBehalfOf.principal().limits().allowsCapability(capability.wireName())) {
        allowed.add(capability);
      }
    }
    Actor actor = onBehalfOf.actor();
    if (actor != null) {
      allowed.retainAll(actors.getOrDefault(actor.type(), Capability.grantable()));
    }
    return allowed;
  }

  private static ProblemException denied(Set<Capability> wanted, Set<Capability> allowed) {
    List<String> names = wanted.stream().sorted().map(Capability::wireName).toList();
    return new ProblemException(
        Problem.of(
                ErrorCode.CAPABILITY_DENIED,
                "%s; key, actor and profile allow %s"
                    .formatted(
                        names.isEmpty()
                            ? "no capability was requested that is known here"
                            : String.join(", ", names) + " not granted",
                        allowed.stream().sorted().map(Capability::wireName).toList()))
            .with("capabilities", names));
  }
}
