package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.secret.Reference;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.secret.SecretRef.Use;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code secret_refs}. Whether a secret was granted and is there is seen at each create. */
final class SecretsParser {

  private static final int MOST = 32;
  private static final int MOST_HOSTS = 16;
  private static final Set<String> KEYS = Set.of("name", "ref", "use", "hosts", "header", "format");
  private static final Set<String> USES = Set.of("env", "file", "egress");
  private static final String VALUE = "{}";

  private final Set<String> names;
  private final Network network;

  private SecretsParser(Set<String> variables, Network network) {
    this.names = new HashSet<>(variables);
    this.network = network;
  }

  /**
   * Reads them.
   *
   * @param variables names that {@code env} has taken
   * @param network of the same profile
   */
  static List<SecretRef> parse(
      Optional<YamlValue> value, Set<String> variables, Network network, YamlProblems problems) {
    return value.isEmpty()
        ? List.of()
        : problems.read(
            List.of(), () -> new SecretsParser(variables, network).all(value.get(), problems));
  }

  private List<SecretRef> all(YamlValue value, YamlProblems problems) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.size() > MOST) {
      throw value.wrong("name at most %d secrets".formatted(MOST));
    }
    List<SecretRef> refs = new ArrayList<>();
    for (YamlValue item : items) {
      @Nullable SecretRef ref = problems.<@Nullable SecretRef>read(null, () -> one(item.map()));
      if (ref != null) {
        refs.add(ref);
      }
    }
    return refs;
  }

  private SecretRef one(YamlMap map) throws YamlException {
    map.allowOnly(KEYS, Set.of());
    return new SecretRef(name(map.get("name")), reference(map.get("ref")), use(map));
  }

  private String name(YamlValue value) throws YamlException {
    String name = value.text();
    if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,127}")) {
      throw value.wrong(
          "%s must be a name of letters, digits and '_', such as API_TOKEN"
              .formatted(value.shown()));
    }
    if (!names.add(name)) {
      throw value.wrong("%s is there twice, here or in 'env'".formatted(value.shown()));
    }
    return name;
  }

  private static Reference reference(YamlValue value) throws YamlException {
    try {
      return Reference.parse(value.text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Use use(YamlMap map) throws YamlException {
    YamlValue value = map.get("use");
    String text = value.text();
    if (text.equals("provision")) {
      throw value.wrong("'provision' is not supported yet; use env, file or egress");
    }
    if (text.equals("egress")) {
      return egress(map);
    }
    for (String key : List.of("hosts", "header", "format")) {
      Optional<YamlValue> extra = map.find(key);
      if (extra.isPresent()) {
        throw extra.get().wrong("'%s' goes with 'use: egress' only".formatted(key));
      }
    }
    return switch (text) {
      case "env" -> new Use.Env();
      case "file" -> new Use.InFile();
      default -> throw Constants.unknown(value, text, USES);
    };
  }

  private Use egress(YamlMap map) throws YamlException {
    List<HostPattern> hosts = hosts(map.get("hosts"));
    Optional<YamlValue> header = map.find("header");
    Optional<YamlValue> format = map.find("format");
    if (header.isPresent()) {
      String form = format.isEmpty() ? VALUE : form(format.get());
      int at = form.indexOf(VALUE);
      return new Use.Header(
          hosts, header(header.get()), form.substring(0, at), form.substring(at + VALUE.length()));
    }
    if (format.isPresent()) {
      throw format.get().wrong("'format' goes with 'header' only");
    }
    return new Use.Placeholder(hosts);
  }

  private List<HostPattern> hosts(YamlValue value) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.isEmpty() || items.size() > MOST_HOSTS) {
      throw value.wrong("name 1 to %d hosts".formatted(MOST_HOSTS));
    }
    List<HostPattern> hosts = new ArrayList<>();
    for (YamlValue item : items) {
      hosts.add(host(item));
    }
    return hosts;
  }

  private HostPattern host(YamlValue item) throws YamlException {
    HostPattern host;
    try {
      host = HostPattern.parse(item.text());
    } catch (IllegalArgumentException e) {
      throw item.wrong(String.valueOf(e.getMessage()));
    }
    if (!(host instanceof HostPattern.Names)) {
      throw item.wrong("%s must be a name: TLS proves names".formatted(item.shown()));
    }
    if (!reachable(host)) {
      throw item.wrong(
          "%s is not reached: name it in 'network.allow', or use 'network.mode: public'"
              .formatted(item.shown()));
    }
    return host;
  }

  private boolean reachable(HostPattern host) {
    return network.mode() == NetworkMode.PUBLIC
        || network.allow().stream()
            .map(Network.AllowedHost::host)
            .anyMatch(
                allowed ->
                    allowed.equals(host.toString())
                        || HostName.parse(host.toString())
                            .filter(HostPattern.parse(allowed)::matches)
                            .isPresent());
  }

  private static String header(YamlValue value) throws YamlException {
    String name = value.text();
    if (!name.matches("[A-Za-z0-9-]{1,64}")) {
      throw value.wrong(
          "%s must be the name of a header, such as Authorization".formatted(value.shown()));
    }
    if (Use.Header.OF_REQUESTS.contains(name.toLowerCase(Locale.ROOT))) {
      throw value.wrong(
          "%s says how a request is sent, which is no secret".formatted(value.shown()));
    }
    return name;
  }

  private static String form(YamlValue value) throws YamlException {
    String form = value.text();
    if (!form.matches("[ -~]{2,256}") || form.split("\\{}", -1).length != 2) {
      throw value.wrong(
          "%s must have '{}' once, where the value goes, such as 'Bearer {}'"
              .formatted(value.shown()));
    }
    return form;
  }
}
