package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;

/** Runs the daemon's own {@code version} in a container without any rights, and removes it. */
record DockerTrial(EngineSocket engine, ObjectMapper json) {

  private static final String INSIDE = "/boxd";

  /**
   * Tries.
   *
   * @param image that the engine has
   * @return what went wrong, empty if nothing did
   */
  String run(String image, Path boxd) throws IOException {
    EngineSocket.Answer made = engine.post("/containers/create", container(image, boxd).toString());
    if (!made.ok()) {
      return made.message();
    }
    String path = "/containers/" + made.body().path("Id").asText();
    try {
      EngineSocket.Answer started = engine.post(path + "/start", "");
      if (!started.ok()) {
        return started.message();
      }
      int code = engine.post(path + "/wait", "").body().path("StatusCode").asInt(-1);
      return code == 0 ? "" : "it ended with exit code " + code;
    } finally {
      EngineSocket.Answer _ = engine.delete(path + "?force=1&v=1");
    }
  }

  private ObjectNode container(String image, Path boxd) {
    ObjectNode container = json.createObjectNode().put("Image", image).put("User", "65534:65534");
    container.putArray("Entrypoint").add(INSIDE);
    container.putArray("Cmd").add("version");
    container.putObject("Healthcheck").putArray("Test").add("NONE");
    ObjectNode host = container.putObject("HostConfig");
    host.put("NetworkMode", "none").put("ReadonlyRootfs", true);
    host.putArray("CapDrop").add("ALL");
    host.putArray("SecurityOpt").add("no-new-privileges");
    host.putObject("LogConfig").put("Type", "none");
    ObjectNode mount = host.putArray("Mounts").addObject();
    mount.put("Type", "bind").put("Source", boxd.toString()).put("Target", INSIDE);
    mount.put("ReadOnly", true);
    return container;
  }
}
