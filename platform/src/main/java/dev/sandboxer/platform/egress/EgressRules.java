package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import java.util.List;
import java.util.Set;

/**
 * Whom a sandbox may call.
 *
 * @param everywhere every host, on the ports of the web
 * @param rules hosts that are named, if not everywhere; without any, nothing may be called
 */
public record EgressRules(boolean everywhere, List<Rule> rules) {

  private static final Set<Integer> WEB = Set.of(80, 443);

  /** Keeps an immutable copy. */
  public EgressRules {
    rules = List.copyOf(rules);
  }

  /**
   * Some hosts and their ports.
   *
   * @param host which
   * @param ports of them
   */
  public record Rule(HostPattern host, Set<Integer> ports) {

    /** Keeps an immutable copy. */
    public Rule {
      ports = Set.copyOf(ports);
    }
  }

  /**
   * The rules of a profile.
   *
   * @param network as resolved, checked when the profile was read
   * @return none for {@link NetworkMode#NONE}
   */
  public static EgressRules of(Network network) {
    return new EgressRules(
        network.mode() == NetworkMode.PUBLIC,
        network.allow().stream()
            .map(
                allowed -> new Rule(HostPattern.parse(allowed.host()), Set.copyOf(allowed.ports())))
            .toList());
  }

  /** Whether a connection to a host may name another one in TLS. */
  boolean allowsOtherName(HostName host) {
    return everywhere || host.address();
  }

  boolean allows(HostName host, int port) {
    return everywhere
        ? WEB.contains(port)
        : rules.stream().anyMatch(rule -> rule.ports().contains(port) && rule.host().matches(host));
  }

  /** What a program hears of which nothing allows it. */
  String refusal(HostName host, int port) {
    return everywhere
        ? "network.mode public allows the ports 80 and 443, not %d; name the host in network.allow"
            .formatted(port)
        : "network.allow of the profile does not have it; {host: %s, ports: [%d]} would allow it%s"
            .formatted(
                host.range(),
                port,
                host.address()
                    ? ", if the operator has opened it with SANDBOXER_EGRESS_ALLOW"
                    : "");
  }
}
