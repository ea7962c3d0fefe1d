package dev.sandboxer.ext.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cluster of this run is a real one: the other tests rely on what is seen here. */
class ClusterIT {

  private final Kubectl kubectl = new Kubectl("cluster-it-" + UUID.randomUUID());

  @BeforeEach
  void makeNamespace() {
    kubectl.must("create", "namespace", kubectl.namespace());
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> kubectl.run("get", "serviceaccount", "default").exitCode() == 0);
  }

  @AfterEach
  void removeNamespace() {
    kubectl.must("delete", "namespace", kubectl.namespace(), "--wait=false");
  }

  @Test
  void itsNodeIsReady() {
    assertThat(
            kubectl.must(
                "get",
                "nodes",
                "-o",
                "jsonpath={.items[*].status.conditions[-1:]['type','status']}"))
        .isEqualTo("Ready True");
  }

  @Test
  void podsRunCommandsOnBothRuntimes() {
    pod("on-runc", "");
    pod("on-crun", "\"runtimeClassName\": \"crun\",");

    assertThat(kubectl.must("exec", "on-runc", "--", "hostname")).isEqualTo("on-runc\n");
    assertThat(kubectl.must("exec", "on-crun", "--", "hostname")).isEqualTo("on-crun\n");
    assertThat(kubectl.run("exec", "on-runc", "--", "sh", "-c", "exit 7").exitCode()).isEqualTo(7);
  }

  @Test
  void policiesOfNetworksHold() {
    pod("server", "");
    pod("client", "");
    String address = kubectl.must("get", "pod", "server", "-o", "jsonpath={.status.podIP}");
    assertThat(fetch(address).output()).isEqualTo("page\n");

    kubectl.apply(
        """
        {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny"},
         "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}}""");

    await().atMost(Duration.ofMinutes(1)).until(() -> fetch(address).exitCode() != 0);
  }

  private Kubectl.Result fetch(String address) {
    return kubectl.run(
        "exec", "client", "--", "timeout", "5", "wget", "-q", "-O", "-", "http://" + address + "/");
  }

  private void pod(String name, String members) {
    kubectl.apply(
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}, "spec": {%s
         "terminationGracePeriodSeconds": 0, "containers": [{"name": "main",
         "image": "local.test/busybox:1", "imagePullPolicy": "Never",
         "command": ["sh", "-c", "echo page >/tmp/index.html; exec httpd -f -h /tmp"]}]}}"""
            .formatted(name, members));
    kubectl.must("wait", "--for=condition=Ready", "pod/" + name, "--timeout=120s");
  }
}
