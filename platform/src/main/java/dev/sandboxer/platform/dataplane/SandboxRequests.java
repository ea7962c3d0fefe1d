package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.Admission.Outcome;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/**
 * Passes on to boxd what another door of the platform has let in with an API key. What comes of it
 * is cut when the sandbox or the key ends, and when their tokens are revoked.
 */
public final class SandboxRequests {

  private final HostRule hosts;
  private final DataplaneTargets targets;
  private final Forwarder forwarder;

  SandboxRequests(HostRule hosts, DataplaneTargets targets, Forwarder forwarder) {
    this.hosts = hosts;
    this.targets = targets;
    this.forwarder = forwarder;
  }

  /**
   * A request that may be passed on.
   *
   * @param target that it goes to
   * @param claims as if a token had brought it
   * @param route of the dataplane
   */
  public record Admitted(Target target, TokenClaims claims, String route) {}

  /**
   * Whether a request comes from no page, or from one that may call the platform.
   *
   * @param context of the request
   * @return false for a page of a foreign origin
   */
  public boolean originAllowed(RoutingContext context) {
    return hosts.originAllowed(context.request());
  }

  /**
   * Lets a request in. May block while the sandbox is looked up.
   *
   * @param sandboxId the sandbox's id
   * @param capability that the route wants
   * @param keyId the API key that asks
   * @param route of the dataplane, such as {@code /v1/mcp/search}
   * @return for {@link #forward}
   * @throws ProblemException INVALID_STATE if the sandbox is neither ready nor active
   */
  public Admitted admit(SandboxId sandboxId, Capability capability, String keyId, String route) {
    Target target =
        targets
            .find(sandboxId)
            .or(() -> targets.load(sandboxId))
            .orElseThrow(
                () ->
                    new ProblemException(
                        ErrorCode.INVALID_STATE,
                        "sandbox " + sandboxId + " is neither ready nor active"));
    long now = targets.minEpoch(target, claims(target, 0, capability, keyId));
    return new Admitted(target, claims(target, now, capability, keyId), route);
  }

  private static TokenClaims claims(
      Target target, long epoch, Capability capability, String keyId) {
    return new TokenClaims(
        target.sandboxId(),
        target.generation(),
        epoch,
        keyId,
        null,
        Set.of(capability),
        0,
        Long.MAX_VALUE,
        keyId,
        null,
        null);
  }

  /**
   * Passes a request on; to be called on the event loop of its connection. The request is paused
   * until then, and answered from then on.
   *
   * @param context of the request
   * @param admitted from {@link #admit}
   */
  public void forward(RoutingContext context, Admitted admitted) {
    Target target = admitted.target();
    targets.used(target);
    RelayRequest call =
        new RelayRequest(context, new RelayPath(target.sandboxId(), admitted.route(), ""));
    DataplaneRoute route = DataplaneRoute.find(admitted.route()).orElseThrow();
    try {
      forwarder.begin(call, route, null, new Outcome.Admitted(target, admitted.claims()));
    } catch (WireException e) {
      refuse(context, Problem.of(ErrorCode.VALIDATION, "the request has " + e.reason()));
    }
  }

  /**
   * Answers with a problem instead; to be called on the event loop of its connection.
   *
   * @param context of the request
   * @param problem that there is
   */
  public void refuse(RoutingContext context, Problem problem) {
    Answers.problem(context, problem);
  }
}
