package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a sandbox may call.
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
   * @param methods of HTTP that requests may have; empty for a connection that carries anything
   */
  public record Rule(HostPattern host, Set<Integer> ports, Set<String> methods) {

    /** Keeps an immutable copy. */
    public Rule {
      ports = Set.copyOf(ports);
      methods = Set.copyOf(methods);
    }

    private boolean covers(HostName name, int port) {
      return ports.contains(port) && host.matches(name);
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
                allowed ->
                    new Rule(
                        HostPattern.parse(allowed.host()),
                        Set.copyOf(allowed.ports()),
                        Set.copyOf(allowed.methods())))
            .toList());
  }

  /** Whether a connection to a host may name another one in TLS. */
  boolean allowsOtherName(HostName host) {
    return everywhere || host.address();
  }

  boolean allows(HostName host, int port) {
    return everywhere
        ? WEB.contains(port)
        : rules.stream().anyMatch(rule -> rule.covers(host, port));
  }

  /**
   * The methods that requests to an allowed host may have.
   *
   * @return in order; empty if a connection to it carries anything
   */
  Optional<SortedSet<String>> methods(HostName host, int port) {
    List<Rule> covering = rules.stream().filter(rule -> rule.covers(host, port)).toList();
    if (everywhere || covering.stream().anyMatch(rule -> rule.methods().isEmpty())) {
      return Optional.empty();
    }
    SortedSet<String> all = new TreeSet<>();
    covering.forEach(rule -> all.addAll(rule.methods()));
    return Optional.of(all);
  }

  /** What a program hears whose method no rule allows. */
  String refusal(HostName host, int port, String method) {
    return "%s of %s:%d is not allowed: network.allow of the profile has {host: %s, methods: %s}; %s in methods would allow it"
        .formatted(
            method,
            host.text(),
            port,
            host.range(),
            methods(host, port).map(Object::toString).orElse("[]"),
            method);
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
