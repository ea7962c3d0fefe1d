package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.KubernetesCluster;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The platform as its Helm chart installs it: two nodes in the cluster whose pods are sandboxes, on
 * a PostgreSQL elsewhere. Nothing there has a way to the internet, and nothing serves names.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PlatformInClusterIT {

  private static final String RELEASE = "box";
  private static final String PLATFORM = "platform";
  private static final String SANDBOXES = "inside";
  private static final String IMAGE = "local.test/sandboxer";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Path CHART = Guide.CHECKOUT.resolve("deploy/helm/sandboxer");

  @TempDir private static Path folder;
  private static KubernetesCluster cluster;
  private static KubernetesCluster sandboxes;
  private static Database database;
  private static Path values;

  @BeforeAll
  static void prepare() throws IOException {
    Path place = Path.of(System.getenv("SANDBOXER_E2E_CLUSTER"));
    cluster = new KubernetesCluster(place, PLATFORM);
    sandboxes = new KubernetesCluster(place, SANDBOXES);
    database = Database.start(cluster.setting("host_ip"));
    values = Files.writeString(folder.resolve("values.yaml"), values());
  }

  @AfterAll
  static void clear() {
    if (database != null) {
      database.close();
    }
  }

  private static String values() {
    return """
    image: {repository: %s, tag: "1", pullPolicy: Never}
    database: {url: "%s", user: e2e, passwordSecret: postgres}
    publicUrl: http://127.0.0.1:8420
    sandboxes: {namespace: %s}
    drainSeconds: 2
    resources: {requests: {cpu: 50m, memory: 256Mi}, limits: {memory: 1Gi}}
    profiles:
      on-cluster.yaml: |
        id: profile.on-cluster
        version: 1
        extension: ext.k8s
        image: %s
        resources: {cpus: 1, memory: 128Mi, workspace: 32Mi, tmp: 16Mi}
    """
        .formatted(
            IMAGE, database.settings().get("SANDBOXER_DB_URL"), SANDBOXES, KubernetesCluster.IMAGE);
  }

  @Test
  @Order(1)
  void theChartIsSound() {
    assertThat(cluster.helm("lint", "--strict", CHART.toString(), "-f", values.toString()))
        .contains("1 chart(s) linted, 0 chart(s) failed");
    String full =
        template(
            "tls.secretName=front",
            "ingress.enabled=true",
            "ingress.tlsSecretName=front",
            "serviceMonitor.enabled=true",
            "serviceMonitor.keySecret=metrics",
            "keysSecret=mine",
            "settings.SANDBOXER_MAX_LIVE=7");
    assertThat(full)
        .contains(
            "kind: Ingress",
            "kind: ServiceMonitor",
            "kind: PodDisruptionBudget",
            "scheme: HTTPS",
            "SANDBOXER_INTERNAL_URL",
            "name: SANDBOXER_MAX_LIVE",
            "secretName: mine")
        .doesNotContain("master.key:", "SANDBOXER_BEHIND_TLS_PROXY");
    assertThat(template("sandboxes.create=false", "podDisruptionBudget.enabled=false"))
        .doesNotContain("kind: Namespace\n", "ResourceQuota", "PodDisruptionBudget")
        .contains("SANDBOXER_BEHIND_TLS_PROXY");
  }

  @Test
  @Order(1)
  void wrongValuesAreNamed() {
    refused("database.url=postgres://db/x", "database.url");
    refused("publicUrl=sandboxer.example.com", "publicUrl");
    refused("replicas=0", "replicas");
    refused("replica=3", "replica");
    refused("settings.MAX_LIVE=7", "settings");
    refused("serviceMonitor.enabled=true", "serviceMonitor.keySecret");
    refused("sandboxes.namespace=Not_One", "sandboxes.namespace");
  }

  private static void refused(String value, String named) {
    assertThatThrownBy(() -> template(value)).hasMessageContaining(named.replace(".", "/"));
  }

  private static String template(String... set) {
    List<String> words =
        new ArrayList<>(List.of("template", RELEASE, CHART.toString(), "-f", values.toString()));
    for (String value : set) {
      words.addAll(List.of(value.contains("MAX_LIVE") ? "--set-string" : "--set", value));
    }
    return cluster.helm(words.toArray(String[]::new));
  }

  @Test
  @Order(2)
  void isInstalledAndRunsItsFirstSandbox() throws IOException {
    image();
    cluster.kubectl("create", "namespace", PLATFORM);
    cluster.kubectl(
        "create",
        "secret",
        "generic",
        "postgres",
        "--from-file=password=" + database.settings().get("SANDBOXER_DB_PASSWORD_FILE"));
    cluster.helm(
        "install", RELEASE, CHART.toString(), "-f", values.toString(), "--wait", "--timeout", "5m");
    assertThat(
            on(
                0,
                "hosts",
                "add",
                "cluster",
                "--extension",
                "ext.k8s",
                "--address",
                "https://" + cluster.setting("services").replace(".0/24", ".1"),
                "--setting",
                "inside=true",
                "--setting",
                "namespace=" + SANDBOXES,
                "--setting",
                "boxd_image=" + IMAGE + ":1"))
        .contains("cluster");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                json(0, "hosts", "show", "--json", "cluster")
                    .at("/probe/ext.k8s/usable")
                    .asBoolean());
    assertThat(on(0, "run", "-p", "on-cluster", "--", "echo", "hello")).endsWith("hello");
  }

  /** Into the cluster, upon this machine's own Java. */
  private static void image() throws IOException {
    ProcessBuilder build =
        new ProcessBuilder(
            Guide.CHECKOUT.resolve("tools/k8s/platform-image").toString(),
            cluster.folder().toString(),
            IMAGE + ":1",
            Platform.dist().toString());
    build.environment().put("JAVA_HOME", System.getProperty("java.home"));
    build.environment().put("DOCKER_HOST", System.getenv("SANDBOXER_DOCKER_HOST"));
    Optional.ofNullable(System.getenv("SANDBOXER_TEST_DOCKERD"))
        .ifPresent(
            own -> build.environment().merge("PATH", own, (path, more) -> path + ":" + more));
    Path log = folder.resolve("image.log");
    try {
      int code = build.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
      assertThat(code).as(Files.readString(log)).isZero();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @Order(3)
  void everyNodeReachesASandboxAlsoOneWhoseNodeIsGone() {
    String id = on(0, "create", "-p", "on-cluster");
    assertThat(on(1, "exec", id, "--", "sh", "-c", "echo hello; exit 0")).isEqualTo("hello");
    String before = cluster.kubectl("get", "pod", RELEASE + "-0", "-o", "jsonpath={.metadata.uid}");
    cluster.kubectl("delete", "pod", RELEASE + "-0", "--grace-period=0", "--force");
    assertThat(on(1, "exec", id, "--", "echo", "again")).isEqualTo("again");
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                !cluster
                        .kubectl("get", "pod", RELEASE + "-0", "-o", "jsonpath={.metadata.uid}")
                        .equals(before)
                    && on(0, "exec", id, "--", "echo", "back").equals("back"));
    on(0, "rm", id);
  }

  @Test
  @Order(4)
  void onlyThePlatformReachesASandbox() {
    String id = on(0, "create", "-p", "on-cluster");
    String ip =
        sandboxes.kubectl(
            "get",
            "pods",
            "-l",
            "app.kubernetes.io/managed-by=sandboxer",
            "-o",
            "jsonpath={.items[0].status.podIP}");
    assertThat(connects(RELEASE + "-1", ip)).isTrue();
    cluster.kubectl("run", "stranger", "--image=" + KubernetesCluster.IMAGE, "--", "sleep", "600");
    cluster.kubectl("wait", "--for=condition=Ready", "pod/stranger", "--timeout=120s");
    assertThat(connects("stranger", ip)).isFalse();
    cluster.kubectl("delete", "pod", "stranger", "--grace-period=0", "--force");
    on(0, "rm", id);
  }

  private static boolean connects(String pod, String ip) {
    try {
      cluster.kubectl("exec", pod, "--", "nc", "-w", "2", ip, "61707");
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  @Order(5)
  void anUpgradeKeepsKeysAndSandboxes() {
    String keys = keys();
    String id = on(0, "create", "-p", "on-cluster");
    cluster.helm(
        "upgrade",
        RELEASE,
        CHART.toString(),
        "-f",
        values.toString(),
        "--set",
        "drainSeconds=1",
        "--wait",
        "--timeout",
        "5m");
    assertThat(keys()).isEqualTo(keys);
    assertThat(on(1, "exec", id, "--", "echo", "kept")).isEqualTo("kept");
  }

  private static String keys() {
    return cluster.kubectl("get", "secret", RELEASE + "-keys", "-o", "jsonpath={.data}");
  }

  @Test
  @Order(6)
  void nothingIsLeft() {
    on(0, "rm", "--all");
    String left = "pods,secrets,networkpolicies";
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                sandboxes
                    .kubectl(
                        "get", left, "-l", "app.kubernetes.io/managed-by=sandboxer", "-o", "name")
                    .isEmpty());
    cluster.helm("uninstall", RELEASE, "--wait", "--timeout", "3m");
    assertThat(keys()).as("the master key").contains("master.key");
    cluster.kubectl("delete", "namespace", PLATFORM, "--timeout=120s");
  }

  private static String on(int node, String... words) {
    List<String> command =
        new ArrayList<>(List.of("exec", RELEASE + "-" + node, "-c", "platform", "--", "sandboxer"));
    command.addAll(List.of(words));
    return cluster.kubectl(command.toArray(String[]::new));
  }

  private static JsonNode json(int node, String... words) throws IOException {
    return Api.JSON.readTree(on(node, words));
  }
}
