package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** What the programs of sandboxes have moved through the proxy. */
@ApplicationScoped
public class NetworkFigures {

  private final WaysOut ways;

  NetworkFigures(WaysOut ways) {
    this.ways = ways;
  }

  /**
   * The figures of a sandbox.
   *
   * @param sandbox that is ready or active
   * @return empty if it has no way out through the proxy
   * @throws ProblemException INVALID_STATE if it is neither ready nor active
   */
  public Optional<EgressFigures> of(Sandbox sandbox) {
    if (!sandbox.state().reachable()) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "sandbox %s is %s; its figures are there while it is ready or active"
              .formatted(sandbox.publicId(), sandbox.state().text()));
    }
    return ways.figures(sandbox.id());
  }
}
