package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/** Orders the backends that a sandbox may go to. For now a profile names exactly one. */
@ApplicationScoped
public class Router {

  private final Hosts hosts;
  private final Eligibility eligibility;

  Router(Hosts hosts, Eligibility eligibility) {
    this.hosts = hosts;
    this.eligibility = eligibility;
  }

  /**
   * Finds out what a decision needs to know. Blocks, at most some seconds; never inside a
   * transaction.
   *
   * @param extensionId that the profile names
   * @param spec what is to be established
   */
  public void prepare(String extensionId, SandboxSpec spec) {
    eligibility.learn(extensionId, spec);
  }

  /**
   * Decides.
   *
   * @param sandbox what is to be established
   * @param spec its resolved profile
   * @return the candidates in the order to try; each reason of a rejection begins with the key of
   *     the profile that would change it
   */
  public Route route(Sandbox sandbox, SandboxSpec spec) {
    String extension = sandbox.extensionId();
    Map<String, String> reasons = eligibility.reasons(extension, spec);
    if (!reasons.isEmpty()) {
      return new Route(
          List.of(),
          Map.of(extension, String.join("; ", reasons.values())),
          List.copyOf(reasons.keySet()));
    }
    return new Route(List.of(new Candidate(extension, hosts.node().host())), Map.of(), List.of());
  }
}
