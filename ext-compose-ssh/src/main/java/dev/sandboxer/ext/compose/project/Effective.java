package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.image.ImagePolicy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * Makes the file that runs from what Compose has resolved: labels, limits, no way out, and boxd as
 * a service. The user's own files stay as they are.
 */
public final class Effective {

  /** The service that boxd is. */
  public static final String BOXD = "sandboxer";

  /** The folder in which boxd finds its files. */
  static final String INSIDE = "/.sandboxer";

  /** The folder of the services' logs, below that of the sandbox and below {@link #INSIDE}. */
  static final String LOGS = "logs";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NEW_PRIVILEGES = "no-new-privileges:true";
  private static final int STICKY = 01777;

  /** What boxd keeps of a service whose place it takes. */
  private static final List<String> PLACE =
      List.of(
          "environment",
          "networks",
          "network_mode",
          "depends_on",
          "hostname",
          "domainname",
          "extra_hosts");

  /** Of Docker's usual capabilities those that a server does not need. */
  private static final List<String> DROPPED =
      List.of("AUDIT_WRITE", "MKNOD", "NET_RAW", "SETFCAP", "SETPCAP", "SYS_CHROOT");

  /**
   * Where things are on the machine.
   *
   * @param project what Compose calls it
   * @param folder of the sandbox
   * @param boxd the binary
   * @param root whether root logs in
   * @param secrets the folder of the profile's secrets
   * @param secretNames what is in it
   */
  public record Machine(
      String project,
      String folder,
      String boxd,
      boolean root,
      String secrets,
      List<String> secretNames) {}

  private final ProjectFiles files;
  private final ImagePolicy images;
  private final Machine machine;
  private final Map<String, String> labels;
  private final Map<String, String> buildLabels;

  /**
   * A project that was checked. Its file is complete once the images have ids.
   *
   * @param config what Compose reads, with marks in place of images that are built
   * @param builds by these marks
   */
  public record Checked(ObjectNode config, Map<String, Build> builds) {

    /**
     * The whole file.
     *
     * @param images ids by the marks of their builds
     * @return a file that Compose reads
     */
    public byte[] file(Map<String, String> images) {
      for (JsonNode service : config.path("services")) {
        String image = service.path("image").asText();
        ((ObjectNode) service).put("image", images.getOrDefault(image, image));
      }
      try {
        return JSON.writeValueAsBytes(config);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("it was JSON", e);
      }
    }
  }

  /**
   * For one project.
   *
   * @param files of the project
   * @param images which may be used, and when they are fetched
   * @param machine where things are
   * @param labels of everything that is made
   * @param buildLabels of all layers of images that are built
   */
  public Effective(
      ProjectFiles files,
      ImagePolicy images,
      Machine machine,
      Map<String, String> labels,
      Map<String, String> buildLabels) {
    this.files = files;
    this.images = images;
    this.machine = machine;
    this.labels = labels;
    this.buildLabels = buildLabels;
  }

  /**
   * Checks the project and says all of it.
   *
   * @param resolved what {@code config --format json} wrote
   * @param request limits and mounts, boxd's arguments, and the images that may be used
   * @return what is to be built, and the file for the time after that
   * @throws ExtensionException VALIDATION with file, line and key of what is refused
   */
  public Checked of(String resolved, ProvisionRequest request) throws ExtensionException {
    SandboxSpec spec = request.spec();
    try {
      ObjectNode config = (ObjectNode) JSON.readTree(resolved);
      ProjectOptions options = files.options();
      Places places = new Places(options.file(), files.main());
      Images allowed = new Images(images, request, places);
      new Refusals(places, machine, allowed, options).check(config);
      config.remove(Refusals.names(config).stream().filter(key -> key.startsWith("x-")).toList());
      ObjectNode services = config.withObjectProperty("services");
      String folder = machine.folder() + "/" + ProjectFiles.PROJECT;
      Map<String, Build> builds =
          new Builds(files, places, allowed, folder, buildLabels).of(services);
      List<String> ports = new DoorPorts(places, options).arguments(services);
      ObjectNode boxd =
          boxd((ObjectNode) services.path(options.service()), spec, request.daemon(), ports);
      if (options.replace()) {
        services.remove(options.service());
      }
      services.set(BOXD, boxd);
      Shares shares = new Shares(places, services, spec.resources());
      for (String name : new TreeSet<>(Refusals.names(services))) {
        ObjectNode service = (ObjectNode) services.path(name);
        shares.set(name, service);
        if (!name.equals(BOXD)) {
          confine(name, service);
        }
        common(service);
        if (builds.containsKey(service.path("image").asText())) {
          service.put("pull_policy", "never");
        } else {
          allowed.nameInFull(service);
        }
      }
      secrets(config.withObjectProperty("secrets"));
      networks(config.withObjectProperty("networks"));
      for (JsonNode volume : config.path("volumes")) {
        label((ObjectNode) volume);
      }
      return new Checked(config, builds);
    } catch (JsonProcessingException | ClassCastException e) {
      throw ProjectOptions.wrong("Compose resolved the project to what cannot be read: " + e);
    }
  }

  private ObjectNode boxd(ObjectNode service, SandboxSpec spec, Daemon daemon, List<String> ports) {
    ObjectNode boxd = JSON.createObjectNode();
    keep(service, boxd, List.of("image", "platform", "user"));
    if (files.options().replace()) {
      keep(service, boxd, PLACE);
      for (String network : Refusals.names(boxd.path("networks"))) {
        ObjectNode joined = boxd.withObjectProperty("networks").withObjectProperty(network);
        joined.withArrayProperty("aliases").add(files.options().service());
      }
      noNamesOutside(boxd);
    } else {
      boxd.put("network_mode", "service:" + files.options().service());
    }
    boxd.putArray("entrypoint").add(INSIDE + "/boxd");
    ArrayNode command = boxd.putArray("command");
    daemon.arguments().forEach(word -> command.add(word.replace("$", "$$")));
    command.add("--config").add(INSIDE + "/boxd.json");
    command.add("--listen").add("unix:" + INSIDE + "/run/s");
    ports.forEach(command::add);
    boxd.put("read_only", true).put("cgroup", "private").put("init", false).put("restart", "no");
    boxd.put("stop_signal", "SIGTERM").put("stop_grace_period", "1s");
    boxd.put("working_dir", "/workspace");
    boxd.putObject("healthcheck").put("disable", true);
    boxd.putArray("cap_drop").add("ALL");
    ArrayNode volumes = boxd.putArray("volumes");
    service.path("volumes").forEach(volumes::add);
    bind(volumes, machine.boxd(), "/boxd", true);
    bind(volumes, machine.folder() + "/boxd.json", "/boxd.json", true);
    bind(volumes, machine.folder() + "/" + LOGS, "/" + LOGS, true);
    bind(volumes, machine.folder() + "/run/in", "/run", false);
    memory(volumes, "/workspace", spec.resources().workspaceBytes());
    memory(volumes, "/tmp", spec.resources().tmpBytes());
    for (Mount mount : spec.mounts()) {
      if (mount instanceof Mount.Tmpfs tmpfs) {
        memory(volumes, tmpfs.mountPath(), tmpfs.sizeBytes());
      }
    }
    return boxd;
  }

  private static void keep(ObjectNode from, ObjectNode to, List<String> keys) {
    for (String key : keys) {
      if (from.has(key)) {
        to.set(key, from.get(key));
      }
    }
  }

  private static void bind(ArrayNode volumes, String source, String target, boolean readOnly) {
    ObjectNode bind = volumes.addObject().put("type", "bind");
    bind.put("source", source.replace("$", "$$")).put("target", INSIDE + target);
    bind.put("read_only", readOnly);
  }

  private static void memory(ArrayNode volumes, String target, long size) {
    for (JsonNode volume : volumes) {
      if (volume.path("target").asText().equals(target)) {
        return;
      }
    }
    ObjectNode tmpfs = volumes.addObject().put("type", "tmpfs").put("target", target);
    tmpfs.putObject("tmpfs").put("size", "" + size).put("mode", STICKY);
  }

  /** What the project says of its own service stays, within bounds. */
  private void confine(String name, ObjectNode service) {
    service.remove(List.of("ports", "scale", "attach"));
    ArrayNode dropped = service.withArrayProperty("cap_drop");
    DROPPED.forEach(dropped::add);
    // Nothing comes back by itself after the sandbox's end; boxd would stay in a network that is
    // gone.
    String restart = service.path("restart").asText("no");
    boolean once = restart.equals("no") || name.equals(files.options().service());
    service.put("restart", once ? "no" : restart.startsWith("on-failure") ? restart : "on-failure");
    noNamesOutside(service);
  }

  private static void noNamesOutside(ObjectNode service) {
    if (!service.path("network_mode").asText().equals("none")) {
      // The Engine asks for names of the outside by itself; here nobody answers it.
      service.putArray("dns").add("127.0.0.1");
      service.putArray("dns_opt").add("timeout:1").add("attempts:1");
    }
  }

  private void common(ObjectNode service) {
    service.put("pull_policy", images.pull().name().toLowerCase(Locale.ROOT));
    service.putArray("security_opt").add(NEW_PRIVILEGES);
    ObjectNode logging = service.putObject("logging").put("driver", "json-file");
    logging.putObject("options").put("max-size", "5m").put("max-file", "2");
    for (JsonNode volume : service.path("volumes")) {
      if (volume.path("type").asText().equals("bind")) {
        ((ObjectNode) volume).putObject("bind").put("create_host_path", false);
      }
    }
    label(service);
  }

  /** Those from outside of the project are the profile's. */
  private void secrets(ObjectNode secrets) {
    for (String name : Refusals.names(secrets)) {
      if (secrets.path(name).path("external").asBoolean()) {
        String file = machine.secrets() + "/" + secrets.path(name).path("name").asText(name);
        secrets.putObject(name).put("file", file);
      }
    }
  }

  /** No way out, and none to the machine, which has no address there. */
  private void networks(ObjectNode networks) {
    for (JsonNode network : networks) {
      ObjectNode made = (ObjectNode) network;
      made.put("internal", true).put("enable_ipv6", false);
      made.putObject("driver_opts").put("com.docker.network.bridge.inhibit_ipv4", "true");
      label(made);
    }
  }

  private void label(ObjectNode made) {
    ObjectNode all = made.withObjectProperty("labels");
    labels.forEach((name, value) -> all.put(name, value.replace("$", "$$")));
  }
}
