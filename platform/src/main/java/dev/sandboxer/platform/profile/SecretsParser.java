package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.secret.Reference;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.secret.SecretRef.Use;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.image.ImageName;
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
  private static final Set<String> KEYS =
      Set.of("name", "ref", "use", "hosts", "header", "format", "registry", "username");
  private static final Set<String> USES = Set.of("env", "file", "egress", "provision");
  private static final Set<String> OF_EGRESS = Set.of("hosts", "header", "format");
  private static final Set<String> OF_PROVISION = Set.of("registry", "username");
  private static final String VALUE = "{}";

  private final Set<String> names;
  private final Set<String> registries = new HashSet<>();
  private final Network network;
  private final boolean image;

  private SecretsParser(Set<String> variables, Network network, boolean image) {
    this.names = new HashSet<>(variables);
    this.network = network;
    this.image = image;
  }

  /**
   * Reads them.
   *
   * @param variables names that {@code env} has taken
   * @param network of the same profile
   * @param image whether the same profile has one
   */
  static List<SecretRef> parse(
      Optional<YamlValue> value,
      Set<String> variables,
      Network network,
      boolean image,
      YamlProblems problems) {
    return value.isEmpty()
        ? List.of()
        : problems.read(
            List.of(),
            () -> new SecretsParser(variables, network, image).all(value.get(), problems));
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
    if (!text.equals("egress")) {
      refuse(map, OF_EGRESS, "egress");
    }
    if (!text.equals("provision")) {
      refuse(map, OF_PROVISION, "provision");
    }
    return switch (text) {
      case "env" -> new Use.Env();
      case "file" -> new Use.InFile();
      case "egress" -> egress(map);
      case "provision" -> login(map, value);
      default -> throw Constants.unknown(value, text, USES);
    };
  }

  private static void refuse(YamlMap map, Set<String> keys, String use) throws YamlException {
    for (String key : keys) {
      Optional<YamlValue> extra = map.find(key);
      if (extra.isPresent()) {
        throw extra.get().wrong("'%s' goes with 'use: %s' only".formatted(key, use));
      }
    }
  }

  private Use login(YamlMap map, YamlValue use) throws YamlException {
    if (!image) {
      throw use.wrong("'use: provision' is a login to fetch an image with: name the 'image'");
    }
    YamlValue registry = map.get("registry");
    if (!ImageName.isRegistry(registry.text())) {
      throw registry.wrong(
          "%s must be the host and port of a registry as in names of images, such as registry.example.com:5000, or docker.io for Docker Hub"
              .formatted(registry.shown()));
    }
    if (!registries.add(registry.text())) {
      throw registry.wrong("%s has a login already".formatted(registry.shown()));
    }
    YamlValue username = map.get("username");
    if (!username.text().matches("[!-~&&[^:]]{1,255}")) {
      throw username.wrong(
          "%s must be a name of at most 255 characters without space and ':'"
              .formatted(username.shown()));
    }
    return new Use.Login(registry.text(), username.text());
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
