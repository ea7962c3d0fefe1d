package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Whether a Docker Engine can run a sandbox here: its socket, this user's rights, its version, what
 * it can enforce; and a real container where an image of a ready profile is there.
 */
final class DockerCheck {
  private static final String NAME = "backend docker";
  private static final String OLDEST_API = "1.41";
  private static final String START = "sudo systemctl start docker";

  private final ObjectMapper json;
  private final Map<String, String> environment;

  DockerCheck(ObjectMapper json, Map<String, String> environment) {
    this.json = json;
    this.environment = environment;
  }

  /** The backend first, then what limits it. */
  List<Check> look() {
    String host = environment.getOrDefault("SANDBOXER_DOCKER_HOST", "");
    EngineSocket engine = EngineSocket.of(host, json);
    if (engine == null) {
      return List.of(
          Check.bad(
              NAME,
              "SANDBOXER_DOCKER_HOST is " + host + ", which is no Unix socket",
              "export SANDBOXER_DOCKER_HOST=unix://" + EngineSocket.DEFAULT));
    }
    try {
      return judge(engine);
    } catch (IOException e) {
      return List.of(unreachable(engine.path(), e));
    }
  }

  private static Check unreachable(Path socket, IOException failure) {
    String why = String.valueOf(failure.getMessage());
    if (why.contains("Permission denied")) {
      return Check.bad(
          NAME,
          "this user may not use " + socket,
          "sudo usermod -aG docker \"$USER\" (a group of root's rights), then log in again");
    }
    if (!Files.exists(socket)) {
      return Check.bad(
          NAME,
          "there is no socket at " + socket,
          "install Docker Engine and start it ("
              + START
              + "), or export SANDBOXER_DOCKER_HOST=unix:///where/its.sock");
    }
    if (why.contains("refused")) {
      return Check.bad(NAME, "nobody answers at " + socket, START);
    }
    return Check.bad(NAME, socket + ": " + why, "look at the Engine's log: journalctl -u docker");
  }

  private List<Check> judge(EngineSocket engine) throws IOException {
    EngineSocket.Answer version = engine.get("/version");
    String said = version.body().path("Version").asText("");
    if (!version.ok() || older(version.body().path("ApiVersion").asText("0"))) {
      return List.of(
          Check.bad(
              NAME,
              "the Engine " + said + " is too old or none: " + version.message(),
              "install Docker Engine 20.10 or later"));
    }
    JsonNode info = engine.get("/info").body();
    if (has(info, "name=rootless")) {
      return List.of(
          Check.bad(
              NAME,
              "the Engine " + said + " runs rootless, which is not supported",
              "export SANDBOXER_DOCKER_HOST=unix://"
                  + EngineSocket.DEFAULT
                  + " (an Engine that runs as root), or use nsjail, which needs no root"));
    }
    List<Check> checks = new ArrayList<>();
    checks.add(tried(engine, "engine " + said + facts(info)));
    if (has(info, "name=seccomp")) {
      return checks;
    }
    checks.add(
        Check.bad(
            "docker seccomp",
            "the Engine filters no system calls",
            "use a kernel with CONFIG_SECCOMP_FILTER and an Engine that was built with seccomp"));
    return checks;
  }

  private static boolean has(JsonNode info, String option) {
    return info.path("SecurityOptions").toString().contains(option);
  }

  private static boolean older(String api) {
    String[] have = api.split("\\.", 2);
    String[] want = OLDEST_API.split("\\.", 2);
    try {
      int major = Integer.compare(Integer.parseInt(have[0]), Integer.parseInt(want[0]));
      return major < 0
          || (major == 0
              && (have.length < 2 || Integer.parseInt(have[1]) < Integer.parseInt(want[1])));
    } catch (NumberFormatException e) {
      return true;
    }
  }

  /** Such as {@code , cgroup v2, runtimes runc runsc, every limit enforced}. */
  private static String facts(JsonNode info) {
    List<String> missing = EngineLimits.of(info).missing();
    TreeSet<String> runtimes = new TreeSet<>();
    info.path("Runtimes").fieldNames().forEachRemaining(runtimes::add);
    return ", cgroup v%s, runtimes %s, %s"
        .formatted(
            info.path("CgroupVersion").asText("?"),
            String.join(" ", runtimes),
            missing.isEmpty()
                ? "every limit enforced"
                : "not enforced: " + String.join(" ", missing));
  }

  private Check tried(EngineSocket engine, String facts) throws IOException {
    ReadyImages images = ReadyImages.of(environment.getOrDefault("SANDBOXER_DIST", ""));
    String image = images.presentIn(engine);
    if (image.isEmpty()) {
      return Check.good(NAME, facts + "; not tried: none of " + images.names() + " is there yet");
    }
    String problem = new DockerTrial(engine, json).run(image, images.boxd());
    return problem.isEmpty()
        ? Check.good(NAME, facts + "; a container was tried and works")
        : Check.bad(
            NAME,
            facts + "; a container of " + image + " does not run: " + problem,
            "docker run --rm --network none " + image + " (it says more)");
  }
}
