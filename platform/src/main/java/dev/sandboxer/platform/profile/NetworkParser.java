package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.Network.AllowedHost;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads {@code network}. */
final class NetworkParser {

  private static final int MOST_HOSTS = 256;
  private static final int MOST_PORTS = 16;
  private static final int MOST_METHODS = 16;
  private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z-]{0,31}");
  private static final int LAST_PORT = 65_535;

  /** Where a rule names no port. */
  private static final List<Integer> HTTPS = List.of(443);

  private NetworkParser() {}

  static Network parse(YamlValue value, YamlProblems problems) throws YamlException {
    YamlMap map = value.map();
    map.allowOnly(Set.of("mode", "allow", "transparent"), Set.of(), problems);
    var _ = problems.read(false, () -> transparent(map));
    NetworkMode mode = Constants.of(NetworkMode.class, map.get("mode"));
    Optional<YamlValue> allow = map.find("allow");
    if (mode == NetworkMode.ALLOW) {
      return new Network(mode, allow.isEmpty() ? List.of() : hosts(allow.get(), problems));
    }
    if (allow.isPresent()) {
      throw allow
          .get()
          .wrong(
              "hosts are listed for mode allow only; the mode is %s"
                  .formatted(map.get("mode").shown()));
    }
    return new Network(mode, List.of());
  }

  /** No backend can lead connections to the proxy that a program does not send there itself. */
  private static boolean transparent(YamlMap map) throws YamlException {
    Optional<YamlValue> transparent = map.find("transparent");
    if (transparent.isPresent() && Constants.truth(transparent.get())) {
      throw transparent
          .get()
          .wrong(
              "no backend can enforce a transparent network: let programs use the proxy by HTTPS_PROXY and HTTP_PROXY, or SOCKS5 at the address in ALL_PROXY");
    }
    return false;
  }

  private static List<AllowedHost> hosts(YamlValue value, YamlProblems problems)
      throws YamlException {
    List<YamlValue> items = value.list();
    if (items.size() > MOST_HOSTS) {
      throw value.wrong("name at most %d hosts".formatted(MOST_HOSTS));
    }
    List<AllowedHost> hosts = new ArrayList<>();
    for (YamlValue item : items) {
      YamlMap map = item.map();
      map.allowOnly(Set.of("host", "ports", "methods"), Set.of(), problems);
      Optional<YamlValue> ports = map.find("ports");
      Optional<YamlValue> methods = map.find("methods");
      hosts.add(
          new AllowedHost(
              host(map.get("host")),
              ports.isEmpty() ? HTTPS : ports(ports.get()),
              methods.isEmpty() ? List.of() : methods(methods.get())));
    }
    return hosts;
  }

  private static String host(YamlValue value) throws YamlException {
    try {
      return HostPattern.parse(value.text()).toString();
    } catch (IllegalArgumentException e) {
      throw value.wrong(String.valueOf(e.getMessage()));
    }
  }

  private static List<Integer> ports(YamlValue value) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.isEmpty() || items.size() > MOST_PORTS) {
      throw value.wrong("name 1 to %d ports".formatted(MOST_PORTS));
    }
    List<Integer> ports = new ArrayList<>();
    for (YamlValue item : items) {
      ports.add(item.integer(1, LAST_PORT));
    }
    return ports;
  }

  private static List<String> methods(YamlValue value) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.isEmpty() || items.size() > MOST_METHODS) {
      throw value.wrong("name 1 to %d methods".formatted(MOST_METHODS));
    }
    List<String> methods = new ArrayList<>();
    for (YamlValue item : items) {
      String method = item.text();
      if (!METHOD.matcher(method).matches() || method.equals("CONNECT")) {
        throw item.wrong(
            "'%s' must be a method of HTTP such as GET, in capitals, and not CONNECT"
                .formatted(method));
      }
      methods.add(method);
    }
    return methods;
  }
}
