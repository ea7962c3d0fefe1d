package dev.sandboxer.bench.kubernetes;

import dev.sandboxer.bench.subject.Distribution;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Program;
import dev.sandboxer.bench.subject.RegisteredHost;
import dev.sandboxer.testing.registry.ImageArchive;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A cluster that {@code tools/k8s/up} has started, prepared as the guide says.
 *
 * @param folder the cluster's
 * @param log of commands
 */
record Cluster(Path folder, Path log) {

  static final String IMAGE = "local.test/busybox:1";
  private static final String NAMESPACE = "bench";
  private static final String BOXD = "local.test/sandboxer-boxd:bench";

  /** Makes the namespace with the platform's rights in it, and an image with its boxd. */
  void prepare(Distribution distribution) throws IOException {
    Path manifest = folder.resolve("bench.yaml");
    Program.run(
        new ProcessBuilder(
            distribution.script().toString(), "k8s", "manifest", "--namespace", NAMESPACE),
        manifest);
    kubectl("apply", "-f", manifest.toString());
    Path archive = folder.resolve("bench-boxd.tar");
    ImageArchive.write(distribution.boxd(), BOXD, archive);
    String socket = folder.resolve("run/containerd.sock").toString();
    Program.run(
        new ProcessBuilder(
            "ctr", "-a", socket, "-n", "k8s.io", "images", "import", archive.toString()),
        log);
  }

  /** Registers it as a host. */
  RegisteredHost register(Platform platform) throws IOException {
    String server = kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}");
    Path kubeconfig = folder.resolve("bench-kubeconfig");
    Files.writeString(kubeconfig, kubeconfig(server));
    RegisteredHost host = new RegisteredHost("bench-cluster", "ext.k8s", server);
    host.register(
        platform.api(),
        Map.of("kubeconfig", "file:" + kubeconfig),
        Map.of("boxd_image", BOXD, "cpu_request_percent", 5));
    return host;
  }

  private String kubeconfig(String server) throws IOException {
    String authority =
        kubectl(
            "config",
            "view",
            "--raw",
            "-o",
            "jsonpath={.clusters[0].cluster.certificate-authority-data}");
    String token = kubectl("create", "token", "sandboxer", "--duration", "3h");
    return """
    apiVersion: v1
    kind: Config
    current-context: bench
    clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: "%s"}}]
    contexts: [{name: bench, context: {cluster: c, user: u, namespace: %s}}]
    users: [{name: u, user: {token: "%s"}}]
    """
        .formatted(server, authority, NAMESPACE, token);
  }

  /** What the platform asks of the API server. */
  AuditLog requests() {
    return new AuditLog(
        folder.resolve("log/audit.log"), "system:serviceaccount:" + NAMESPACE + ":sandboxer");
  }

  /** A pod of the image by {@code kubectl run}; returns once it runs. */
  String run(int number) throws IOException {
    String name = "floor-" + number;
    kubectl(
        "run",
        name,
        "--image",
        IMAGE,
        "--restart=Never",
        "--overrides={\"spec\": {\"securityContext\": {\"runAsUser\": 1000, \"runAsNonRoot\": true,"
            + " \"seccompProfile\": {\"type\": \"RuntimeDefault\"}}}}",
        "--command",
        "--",
        "sleep",
        "100000");
    kubectl("wait", "pod/" + name, "--for=jsonpath={.status.phase}=Running", "--timeout=60s");
    return name;
  }

  /** Removes such a pod; returns once it is gone. */
  void remove(String name) throws IOException {
    kubectl("delete", "pod", name, "--grace-period=2", "--wait");
  }

  /** Runs it in the namespace and returns what it printed. */
  String kubectl(String... words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                folder.resolve("bin/kubectl").toString(),
                "--kubeconfig",
                folder.resolve("kubeconfig").toString(),
                "-n",
                NAMESPACE));
    command.addAll(List.of(words));
    Program.run(new ProcessBuilder(command), log);
    return Files.readString(log, StandardCharsets.UTF_8).strip();
  }
}
