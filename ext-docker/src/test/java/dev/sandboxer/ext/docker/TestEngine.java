package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.ext.docker.wire.UnixHttpClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The real Engine, for what a test looks at or makes by itself. Removes what it made. */
final class TestEngine implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final UnixHttpClient http =
      new UnixHttpClient(TestPlatform.engine(), Duration.ofSeconds(60), timer);
  private final DockerClient docker =
      DockerClientImpl.getInstance(
          new ClientSettings(TestPlatform.engine(), RemoteApiVersion.VERSION_1_41), http);
  private final List<String> containers = new ArrayList<>();
  private final List<String> images = new ArrayList<>();

  DockerClient docker() {
    return docker;
  }

  List<Container> of(String installation) {
    return docker
        .listContainersCmd()
        .withShowAll(true)
        .withLabelFilter(Map.of(Labels.INSTALLATION, installation))
        .exec();
  }

  /** A container that the extension has not made. */
  String stranger(String name, Map<String, String> labels) {
    String id =
        docker
            .createContainerCmd(SandboxRequests.IMAGE)
            .withName(name)
            .withLabels(labels)
            .withCmd("sleep", "600")
            .exec()
            .getId();
    containers.add(id);
    return id;
  }

  /** Runs a script with every right; the control that a probe can fail. */
  boolean allowed(String script) {
    String id =
        docker
            .createContainerCmd(SandboxRequests.IMAGE)
            .withCmd("sh", "-c", script)
            .withHostConfig(new HostConfig().withPrivileged(true).withNetworkMode("host"))
            .exec()
            .getId();
    containers.add(id);
    docker.startContainerCmd(id).exec();
    return docker.waitContainerCmd(id).start().awaitStatusCode() == 0;
  }

  /** Makes an image from files of the test's, with changes as in a Dockerfile. */
  String image(Tar files, String platform, String... changes) throws IOException {
    StringBuilder path = new StringBuilder("/v1.41/images/create?fromSrc=-");
    for (String change : changes) {
      path.append("&changes=").append(URLEncoder.encode(change, StandardCharsets.UTF_8));
    }
    path.append("&platform=").append(URLEncoder.encode(platform, StandardCharsets.UTF_8));
    Request request =
        Request.builder()
            .method(Request.Method.POST)
            .path(path.toString())
            .headers(Map.of("Content-Type", "application/x-tar"))
            .bodyBytes(files.bytes())
            .build();
    try (Response response = http.execute(request)) {
      String text = new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode last = JSON.readTree(text.lines().reduce("{}", (_, line) -> line));
      String id = last.path("status").asText();
      if (!id.startsWith("sha256:")) {
        throw new IOException("import: " + text);
      }
      String tag = "sandboxer-test-" + id.substring(7, 19);
      docker.tagImageCmd(id, tag, "1").exec();
      images.add(tag + ":1");
      return tag + ":1";
    }
  }

  /** All files of an image. */
  byte[] export(String image) throws IOException {
    String id = docker.createContainerCmd(image).withCmd("x").exec().getId();
    containers.add(id);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (var stream = docker.exportContainerCmd(id).exec()) {
      stream.transferTo(all);
    }
    return all.toByteArray();
  }

  @Override
  public void close() {
    containers.forEach(
        id -> docker.removeContainerCmd(id).withForce(true).withRemoveVolumes(true).exec());
    images.forEach(id -> docker.removeImageCmd(id).withForce(true).exec());
    http.close();
    timer.shutdownNow();
  }
}
