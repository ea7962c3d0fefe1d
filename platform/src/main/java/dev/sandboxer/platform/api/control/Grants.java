package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.boot.PublicAddress;
import dev.sandboxer.platform.dataplane.DataplaneTargets;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import dev.sandboxer.platform.token.MintedToken;
import dev.sandboxer.platform.token.TokenMinter;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Hands out tokens and coordinates. */
@ApplicationScoped
class Grants {

  private static final String PROTOCOL_VERSION = "1.0";

  private final DataplaneTargets targets;
  private final TokenMinter minter;
  private final PublicAddress address;

  Grants(DataplaneTargets targets, TokenMinter minter, PublicAddress address) {
    this.targets = targets;
    this.minter = minter;
    this.address = address;
  }

  /** A grant, if the sandbox can be reached now. */
  Optional<AccessView> find(Principal principal, Sandbox sandbox) {
    return sandbox.state().reachable()
        ? dataplane(sandbox).map(target -> grant(principal, sandbox, target))
        : Optional.empty();
  }

  AccessView grant(Principal principal, Sandbox sandbox) {
    return grant(principal, sandbox, target(sandbox));
  }

  private AccessView grant(Principal principal, Sandbox sandbox, Target target) {
    Set<Capability> capabilities = allowed(principal, sandbox);
    MintedToken token =
        minter.client(
            new ClientGrant(
                sandbox.id(),
                sandbox.generation(),
                target.minEpoch(),
                sandbox.consumer().actor(),
                null,
                principal.keyId(),
                null,
                capabilities));
    PublicAddress.Coordinates coordinates = address.ofSandbox(sandbox.publicId());
    return new AccessView(
        sandbox.publicId(),
        coordinates.http(),
        coordinates.webSocket(),
        token.value(),
        token.expiresAt(),
        capabilities.stream().map(Capability::wireName).toList(),
        PROTOCOL_VERSION);
  }

  private static Set<Capability> allowed(Principal principal, Sandbox sandbox) {
    Set<Capability> allowed = EnumSet.noneOf(Capability.class);
    Capability.ofNarrowed(sandbox.capabilities()).stream()
        .filter(one -> principal.limits().allowsCapability(one.wireName()))
        .forEach(allowed::add);
    if (allowed.isEmpty()) {
      throw new ProblemException(
          ErrorCode.CAPABILITY_DENIED, "key and profile together allow nothing in this sandbox");
    }
    return allowed;
  }

  private Target target(Sandbox sandbox) {
    if (starting(sandbox)) {
      throw new ProblemException(
          ErrorCode.SANDBOX_STARTING,
          "the sandbox is %s; ask again, or wait with 'Prefer: wait=30' on it"
              .formatted(sandbox.state().text()));
    }
    if (!sandbox.state().up()) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "the sandbox is %s; it cannot be reached any more".formatted(sandbox.state().text()));
    }
    return dataplane(sandbox)
        .orElseThrow(
            () ->
                new ProblemException(
                    Problem.of(ErrorCode.NO_DATAPLANE, "this sandbox runs without boxd")
                        .with("reachability", sandbox.descriptors())));
  }

  private Optional<Target> dataplane(Sandbox sandbox) {
    return targets.find(sandbox.id()).or(() -> targets.load(sandbox.id()));
  }

  private static boolean starting(Sandbox sandbox) {
    return sandbox.state() == SandboxState.REQUESTED
        || sandbox.state() == SandboxState.PROVISIONING;
  }
}
