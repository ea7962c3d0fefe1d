package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.ext.docker.wire.EngineHttpClient;
import dev.sandboxer.ext.docker.wire.UnixRoute;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The real Engine, for what a test looks at or makes by itself. Removes what it made. */
final class TestEngine implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final EngineHttpClient http;
  private final DockerClient docker;
  private final List<String> containers = new ArrayList<>();
  private final List<String> images = new ArrayList<>();

  TestEngine() {
    this(DockerPlatform.socket());
  }

  TestEngine(Path socket) {
    http = new EngineHttpClient(new UnixRoute(socket)::open, Duration.ofSeconds(60), timer);
    docker =
        DockerClientImpl.getInstance(
            new ClientSettings(
                RemoteApiVersion.VERSION_1_41, DockerClientConfig.getDefaultObjectMapper()),
            http);
  }

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

  /** Removes an image at the end that somebody else made. */
  void forget(String image) {
    images.add(image);
  }

  /** A container that the extension has not made. */
  void remove(String id) {
    docker.removeContainerCmd(id).withForce(true).exec();
    containers.remove(id);
  }

  /** A container that somebody else made. */
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

  /** A made container that reads its input to the end. */
  String reader(String name) {
    String id =
        docker
            .createContainerCmd(SandboxRequests.IMAGE)
            .withName(name)
            .withStdinOpen(true)
            .withStdInOnce(true)
            .withAttachStdin(true)
            .withCmd("cat")
            .exec()
            .getId();
    containers.add(id);
    return id;
  }

  /** Runs a script with the rights that sandboxes lack; the control that a probe can fail. */
  boolean allowed(String script) {
    String id =
        docker
            .createContainerCmd(SandboxRequests.IMAGE)
            .withCmd("sh", "-c", script)
            .withHostConfig(
                new OpenHost()
                    .withCapAdd(
                        Capability.SYS_ADMIN,
                        Capability.SYS_NICE,
                        Capability.NET_ADMIN,
                        Capability.SYS_PTRACE)
                    .withSecurityOpts(List.of("seccomp=unconfined"))
                    .withBinds(Bind.parse("/sys/fs/cgroup:/sys/fs/cgroup"))
                    .withNetworkMode("host"))
            .exec()
            .getId();
    containers.add(id);
    docker.startContainerCmd(id).exec();
    return docker.waitContainerCmd(id).start().awaitStatusCode() == 0;
  }

  /** Nothing of /proc is covered or closed. */
  private static final class OpenHost extends HostConfig {
    private static final long serialVersionUID = 1L;

    @JsonProperty("MaskedPaths")
    public List<String> getMaskedPaths() {
      return List.of();
    }

    @JsonProperty("ReadonlyPaths")
    public List<String> getReadonlyPaths() {
      return List.of();
    }
  }

  /** Makes an image from files of the test's, with changes as in a Dockerfile. */
  String image(Tar files, String... changes) throws IOException {
    StringBuilder path = new StringBuilder("/v1.41/images/create?fromSrc=-");
    for (String change : changes) {
      path.append("&changes=").append(URLEncoder.encode(change, StandardCharsets.UTF_8));
    }
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

  /** An image that says that it is for another machine; an import could not say so. */
  String foreignImage(String architecture) throws Exception {
    byte[] layer = new Tar().bytes();
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(layer));
    String tag = "sandboxer-test-" + architecture + ":1";
    String config =
        BoxdKey.json(
            Map.of(
                "architecture",
                architecture,
                "os",
                "linux",
                "config",
                Map.of(),
                "rootfs",
                Map.of("type", "layers", "diff_ids", List.of("sha256:" + digest))));
    String manifest =
        BoxdKey.json(
            List.of(
                Map.of(
                    "Config", "config.json",
                    "RepoTags", List.of(tag),
                    "Layers", List.of("layer.tar"))));
    byte[] archive =
        new Tar()
            .file("layer.tar", layer)
            .file("config.json", config.getBytes(StandardCharsets.UTF_8))
            .file("manifest.json", manifest.getBytes(StandardCharsets.UTF_8))
            .bytes();
    docker.loadImageCmd(new ByteArrayInputStream(archive)).exec();
    images.add(tag);
    return tag;
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
