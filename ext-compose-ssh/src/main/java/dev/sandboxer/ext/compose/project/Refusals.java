package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.ExtensionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Refuses what a project must not have, in Compose's own resolved form of it. What is not known to
 * be harmless is refused.
 */
final class Refusals {

  private static final Set<String> TOP =
      Set.of("name", "services", "networks", "volumes", "secrets", "configs");

  private static final Set<String> SERVICE =
      Set.of(
          "attach",
          "build",
          "cap_drop",
          "command",
          "configs",
          "cpus",
          "depends_on",
          "deploy",
          "domainname",
          "entrypoint",
          "environment",
          "expose",
          "extra_hosts",
          "healthcheck",
          "hostname",
          "image",
          "init",
          "labels",
          "mem_limit",
          "memswap_limit",
          "network_mode",
          "networks",
          "pids_limit",
          "platform",
          "ports",
          "profiles",
          "pull_policy",
          "read_only",
          "restart",
          "scale",
          "secrets",
          "shm_size",
          "stdin_open",
          "stop_grace_period",
          "stop_signal",
          "tmpfs",
          "tty",
          "ulimits",
          "user",
          "volumes",
          "working_dir");

  private static final Map<String, String> WHY =
      Map.of(
          "privileged", "no service gets rights over the machine",
          "cap_add", "no service gets further capabilities",
          "devices", "no service gets devices",
          "security_opt", "no service loosens its confinement",
          "container_name", "the name must be this sandbox's own",
          "logging", "logs are kept by the machine, within bounds",
          "provider", "it would run a program on the machine",
          "use_api_socket", "it would hand the Engine to the service",
          "external", "what is outside of the project is not the sandbox's");

  private static final Set<String> BUILD =
      Set.of("args", "context", "dockerfile", "dockerfile_inline", "network", "target");

  private static final Set<String> BIND = Set.of("create_host_path");
  private static final int MOST_SERVICES = 32;

  private final Places places;
  private final Effective.Machine machine;
  private final String folder;
  private final Images images;
  private final ProjectOptions options;

  /** Sources of binds, and whether a service writes there. */
  private final Map<String, Boolean> binds = new HashMap<>();

  /** What the project calls the images that it builds. */
  private final Set<String> built = new HashSet<>();

  Refusals(Places places, Effective.Machine machine, Images images, ProjectOptions options) {
    this.places = places;
    this.machine = machine;
    this.folder = machine.folder() + "/" + ProjectFiles.PROJECT;
    this.images = images;
    this.options = options;
  }

  void check(JsonNode config) throws ExtensionException {
    for (Map.Entry<String, JsonNode> one : config.properties()) {
      if (!TOP.contains(one.getKey()) && !one.getKey().startsWith("x-")) {
        throw unknown(List.of(one.getKey()));
      }
    }
    if (config.path("services").size() > MOST_SERVICES) {
      throw places.refused(List.of("services"), "there may be " + MOST_SERVICES);
    }
    for (JsonNode service : config.path("services")) {
      if (service.has("build") && service.has("image")) {
        built.add(service.path("image").asText());
      }
    }
    for (Map.Entry<String, JsonNode> one : config.path("services").properties()) {
      service(List.of("services", one.getKey()), one.getValue());
    }
    if (config.path("services").has(Effective.BOXD)
        || !config.path("services").has(options.service())) {
      throw ProjectOptions.wrong(
          "options.service: the project must have a service '%s', and none that is called '%s'; it has %s"
              .formatted(options.service(), Effective.BOXD, names(config.path("services"))));
    }
    if (options.replace()) {
      replaced(config.path("services"));
    }
    for (ReadyProbe probe : options.ready()) {
      if (!config.path("services").has(probe.service())) {
        throw ProjectOptions.wrong(
            "options.ready: the project has no service '%s'".formatted(probe.service()));
      }
    }
    for (String kind : List.of("networks", "volumes", "secrets", "configs")) {
      for (Map.Entry<String, JsonNode> one : config.path(kind).properties()) {
        owned(List.of(kind, one.getKey()), one.getValue());
      }
    }
    nested();
  }

  /** Its command does not run, so nobody can wait for it. */
  private void replaced(JsonNode services) throws ExtensionException {
    String replaced = options.service();
    for (Map.Entry<String, JsonNode> one : services.properties()) {
      if (one.getValue().path("depends_on").has(replaced)) {
        throw places.refused(
            List.of("services", one.getKey(), "depends_on"),
            "the command of %s does not run (attach: replace)".formatted(replaced));
      }
    }
    if (options.ready().stream().anyMatch(probe -> probe.service().equals(replaced))) {
      throw ProjectOptions.wrong(
          "options.ready: the command of %s does not run (attach: replace)".formatted(replaced));
    }
  }

  private void service(List<String> at, JsonNode service) throws ExtensionException {
    for (Map.Entry<String, JsonNode> one : service.properties()) {
      if (!SERVICE.contains(one.getKey())) {
        throw unknown(with(at, one.getKey()));
      }
    }
    if (service.has("build")) {
      build(with(at, "build"), service.path("build"));
    } else if (!built.contains(service.path("image").asText())) {
      images.check(at, service);
    }
    if (service.has("network_mode") && !service.path("network_mode").asText().equals("none")) {
      throw places.refused(with(at, "network_mode"), "only none, or networks of the project");
    }
    only(with(at, "ulimits"), service.path("ulimits"), Set.of("nofile"));
    only(with(at, "deploy"), service.path("deploy"), Set.of("resources", "placement", "replicas"));
    only(with(at, "deploy", "placement"), service.at("/deploy/placement"), Set.of());
    only(with(at, "deploy", "resources"), service.at("/deploy/resources"), Set.of("limits"));
    only(
        with(at, "deploy", "resources", "limits"),
        service.at("/deploy/resources/limits"),
        Set.of("cpus", "memory", "pids"));
    if (service.path("scale").asInt(1) != 1 || service.at("/deploy/replicas").asInt(1) != 1) {
      throw places.refused(with(at, "scale"), "a service has one container");
    }
    ports(at, service.path("ports"));
    for (JsonNode network : service.path("networks")) {
      only(with(at, "networks"), network, Set.of("aliases", "priority"));
    }
    for (Map.Entry<String, JsonNode> label : service.path("labels").properties()) {
      if (label.getKey().startsWith("dev.sandboxer.") || label.getKey().startsWith("com.docker.")) {
        throw places.refused(with(at, "labels", label.getKey()), "this label is the platform's");
      }
    }
    for (JsonNode volume : service.path("volumes")) {
      volume(with(at, "volumes"), volume);
    }
    for (String kind : List.of("secrets", "configs")) {
      for (JsonNode used : service.path(kind)) {
        only(with(at, kind), used, Set.of("source", "target", "mode", "uid", "gid"));
      }
    }
  }

  private void build(List<String> at, JsonNode build) throws ExtensionException {
    only(at, build, BUILD);
    if (!build.path("network").asText("none").equals("none")) {
      throw places.refused(with(at, "network"), "only none: a build reaches nothing");
    }
  }

  private void ports(List<String> at, JsonNode ports) throws ExtensionException {
    for (JsonNode port : ports) {
      if (port.has("published") && !options.portsInside()) {
        throw places.refused(
            with(at, "ports"),
            "port %s would be the machine's own: reach ports of services through the platform, and write 'ports: inside' among the options to leave this line as it is"
                .formatted(port.path("published").asText()));
      }
    }
  }

  private void volume(List<String> at, JsonNode volume) throws ExtensionException {
    Path target = Path.of(volume.path("target").asText()).normalize();
    if (!target.isAbsolute()) {
      throw places.refused(at, target + " is not an absolute path");
    }
    if (target.startsWith(Effective.INSIDE)) {
      throw places.refused(at, target + " is the platform's");
    }
    switch (volume.path("type").asText()) {
      case "bind" -> {
        only(at, volume, Set.of("type", "source", "target", "read_only", "bind"));
        only(at, volume.path("bind"), BIND);
        String source = volume.path("source").asText();
        boolean writable = !volume.path("read_only").asBoolean();
        within(at, source);
        if (writable && !machine.root()) {
          throw places.refused(
              at,
              "what a service writes to %s could not be removed by the user who logs in: use a named volume, or make it read-only (:ro)"
                  .formatted(shown(source)));
        }
        binds.merge(source, writable, Boolean::logicalOr);
      }
      case "volume" -> {
        only(at, volume, Set.of("type", "source", "target", "read_only", "volume"));
        only(at, volume.path("volume"), Set.of("nocopy"));
      }
      case "tmpfs" -> only(at, volume, Set.of("type", "target", "read_only", "tmpfs"));
      default ->
          throw places.refused(at, "type " + volume.path("type").asText() + " is not supported");
    }
  }

  /**
   * Whoever writes in a folder could put a link where the next container is given what is in it.
   */
  private void nested() throws ExtensionException {
    for (String outer : binds.keySet()) {
      for (String inner : binds.keySet()) {
        if (Boolean.TRUE.equals(binds.get(outer)) && inner.startsWith(outer + "/")) {
          throw places.refused(
              List.of("services"),
              "%s is mounted, and a service writes in %s around it: mount only one of them, or the outer one read-only"
                  .formatted(shown(inner), shown(outer)));
        }
      }
    }
  }

  private void within(List<String> at, String source) throws ExtensionException {
    if (!source.equals(folder) && !source.startsWith(folder + "/")) {
      throw places.refused(at, source + " is outside of the project");
    }
  }

  private String shown(String source) {
    return source.equals(folder) ? "." : "." + source.substring(folder.length());
  }

  /** A network, volume, secret or config of the project. */
  private void owned(List<String> at, JsonNode made) throws ExtensionException {
    String kind = at.getFirst();
    if (kind.equals("secrets") && made.path("external").asBoolean()) {
      secret(at, made);
      return;
    }
    Set<String> known =
        switch (kind) {
          case "networks" -> Set.of("name", "ipam", "driver", "internal", "labels", "attachable");
          case "volumes" -> Set.of("name", "driver", "labels");
          case "secrets" -> Set.of("name", "file");
          default -> Set.of("name", "file", "content");
        };
    only(at, made, known);
    only(with(at, "ipam"), made.path("ipam"), Set.of());
    String driver = kind.equals("networks") ? "bridge" : "local";
    if (!made.path("driver").asText(driver).equals(driver)) {
      throw places.refused(with(at, "driver"), "only " + driver);
    }
    String name = machine.project() + "_" + at.getLast();
    if (made.has("name") && !made.path("name").asText().equals(name)) {
      throw places.refused(with(at, "name"), "the name must be this sandbox's own");
    }
    if (made.has("file")) {
      within(with(at, "file"), made.path("file").asText());
      binds.merge(made.path("file").asText(), false, Boolean::logicalOr);
    }
  }

  /** One of the profile. */
  private void secret(List<String> at, JsonNode made) throws ExtensionException {
    only(at, made, Set.of("name", "external"));
    String name = made.path("name").asText(at.getLast());
    if (!machine.secretNames().contains(name)) {
      throw places.refused(
          with(at, "external"), "the profile has no secret '%s' with 'use: file'".formatted(name));
    }
  }

  private void only(List<String> at, JsonNode node, Set<String> known) throws ExtensionException {
    for (Map.Entry<String, JsonNode> one : node.properties()) {
      if (!known.contains(one.getKey())) {
        throw unknown(with(at, one.getKey()));
      }
    }
  }

  private ExtensionException unknown(List<String> at) {
    return places.refused(
        at, WHY.getOrDefault(at.getLast(), "'" + at.getLast() + "' is not supported here"));
  }

  static List<String> names(JsonNode map) {
    return map.properties().stream().map(Map.Entry::getKey).toList();
  }

  static List<String> with(List<String> at, String... more) {
    List<String> all = new ArrayList<>(at);
    all.addAll(List.of(more));
    return all;
  }
}
