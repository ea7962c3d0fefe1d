package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/** Orders the backends that a sandbox may go to. For now a profile names exactly one. */
@ApplicationScoped
public class Router {

  private final Hosts hosts;

  Router(Hosts hosts) {
    this.hosts = hosts;
  }

  /**
   * Decides.
   *
   * @param sandbox what is to be established
   * @return the candidates in the order to try
   */
  public Route route(Sandbox sandbox) {
    Candidate only = new Candidate(sandbox.extensionId(), hosts.node().host());
    return new Route(List.of(only), Map.of());
  }
}
