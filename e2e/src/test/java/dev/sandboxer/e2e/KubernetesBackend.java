package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.registry.ImageArchive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pods of the cluster that {@code ext-k8s/checks} has started, as kubectl lists them. Every
 * platform of a run uses one namespace with the rights of the guide.
 */
final class KubernetesBackend implements Backend {

  private static final String PROFILE = "kubernetes-busybox";
  private static final String NAMESPACE = "e2e";
  private static final String BOXD = "local.test/sandboxer-boxd:e2e";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String YAML =
      """
      id: profile.kubernetes-busybox
      version: 2
      extension: ext.k8s
      image: local.test/busybox:1
      isolation: {level: container}
      resources: {cpus: 1, memory: 128Mi, pids: 128, workspace: 32Mi, tmp: 16Mi, open_files: 1024}
      ttl: 30m
      """;

  private final Path cluster;
  private final Map<String, Set<String>> seen = new ConcurrentHashMap<>();

  KubernetesBackend(Path cluster) {
    this.cluster = cluster;
  }

  @Override
  public String profile() {
    return PROFILE;
  }

  @Override
  public String extension() {
    return "ext.k8s";
  }

  @Override
  public void prepare(Path home) throws IOException {
    Path profiles = Files.createDirectories(home.resolve("profiles"));
    Files.writeString(profiles.resolve(PROFILE + ".yaml"), YAML);
  }

  /** Registers the cluster, unless a platform with the same database has. */
  @Override
  public void prepare(Platform platform) {
    Api api = platform.api();
    if (api.get("/v1/hosts/cluster").status() == 404) {
      Api.Reply made = api.post("/v1/hosts", host(platform));
      if (made.status() != 201) {
        throw new AssertionError(made.text());
      }
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                api.get("/v1/hosts/cluster")
                    .json()
                    .at("/probe/ext.k8s/usable")
                    .asBoolean());
  }

  private String host(Platform platform) {
    namespace();
    String server = kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}");
    Path kubeconfig = platform.home().resolve("cluster");
    try {
      Files.deleteIfExists(kubeconfig);
      Files.createFile(
          kubeconfig,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(kubeconfig, kubeconfig(server));
      return new ObjectMapper()
          .writeValueAsString(
              Map.of(
                  "name",
                  "cluster",
                  "extension",
                  "ext.k8s",
                  "address",
                  server,
                  "credentials",
                  Map.of("kubeconfig", "file:" + kubeconfig),
                  "settings",
                  Map.of("boxd_image", BOXD, "cpu_request_percent", 5)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void namespace() {
    Path manifest = cluster.resolve("e2e.yaml");
    try {
      String cli = Platform.dist().resolve("cli/sandboxer-cli.jar").toString();
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      Files.writeString(
          manifest, run(List.of(java, "-jar", cli, "k8s", "manifest", "--namespace", NAMESPACE)));
      kubectl("apply", "-f", manifest.toString());
      Path archive = Files.createTempFile("boxd", ".tar");
      ImageArchive.write(
          Platform.dist().resolve("boxd/linux-" + Host.architecture() + "/boxd"), BOXD, archive);
      String socket = cluster.resolve("run/containerd.sock").toString();
      var _ =
          run(
              List.of(
                  "ctr", "-a", socket, "-n", "k8s.io", "images", "import", archive.toString()));
      Files.delete(archive);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String kubeconfig(String server) {
    String authority =
        kubectl(
            "config",
            "view",
            "--raw",
            "-o",
            "jsonpath={.clusters[0].cluster.certificate-authority-data}");
    return """
    apiVersion: v1
    kind: Config
    current-context: e2e
    clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: "%s"}}]
    contexts: [{name: e2e, context: {cluster: c, user: u, namespace: %s}}]
    users: [{name: u, user: {token: "%s"}}]
    """
        .formatted(
            server, authority, NAMESPACE, kubectl("create", "token", "sandboxer"));
  }

  @Override
  public Set<String> objectsOf(String sandbox) {
    String raw = sandbox.substring("sb_".length());
    Map<String, String> pods =
        kubectl("get", "pods", "-o", "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{\"\\n\"}{end}")
            .lines()
            .filter(line -> line.contains("-" + raw + "-"))
            .collect(Collectors.toMap(line -> line.split(" ")[0], line -> line.split(" ")[1]));
    seen.computeIfAbsent(sandbox, _ -> ConcurrentHashMap.newKeySet()).addAll(pods.values());
    return pods.keySet().stream()
        .map(pod -> pod.substring(pod.indexOf(raw)))
        .collect(Collectors.toSet());
  }

  @Override
  public Stream<ProcessHandle> processesOf(String sandbox) {
    var _ = objectsOf(sandbox);
    Set<String> uids = seen.getOrDefault(sandbox, Set.of());
    return ProcessHandle.allProcesses()
        .filter(process -> uids.stream().anyMatch(uid -> Host.inGroup(process, "pod" + uid)));
  }

  @Override
  public void killFromOutside(String sandbox) {
    String raw = sandbox.substring("sb_".length());
    kubectl("get", "pods", "-o", "name")
        .lines()
        .filter(pod -> pod.contains("-" + raw + "-"))
        .forEach(pod -> kubectl("delete", pod, "--grace-period=0", "--force"));
  }

  private String kubectl(String... words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                cluster.resolve("bin/kubectl").toString(),
                "--kubeconfig",
                cluster.resolve("kubeconfig").toString(),
                "-n",
                NAMESPACE));
    command.addAll(List.of(words));
    return run(command);
  }

  private static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).start();
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      String errors = new String(process.getErrorStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new AssertionError(String.join(" ", command) + ": " + errors);
      }
      return out.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return "kubernetes";
  }
}
