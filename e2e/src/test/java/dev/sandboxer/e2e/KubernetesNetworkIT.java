package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a profile allows is reached from a pod through the platform's proxy, while the cluster's
 * policy lets the pod reach nothing.
 */
class KubernetesNetworkIT {

  private static final String PROFILE = "kubernetes-network";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Backend BACKEND = Backends.all().getFirst();
  private static Website web;
  private static Platform platform;
  private static Api api;

  @BeforeAll
  static void start() throws IOException {
    web = new Website();
    platform = Platform.start(web.settings());
    api = platform.api();
    platform.profile(
        PROFILE,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        network: {mode: allow, allow: [{host: web.example, ports: [%d]}]}
        """
            .formatted(PROFILE, BACKEND.profile(), web.port()));
  }

  @AfterAll
  static void stop() {
    api.destroyAll();
    platform.close();
    web.close();
  }

  /** By hand: the wget of this busybox crashes where it has a proxy. */
  private static String fetch(String sandbox, String host) {
    String request =
        "GET http://%1$s:%2$d/path HTTP/1.1\\r\\nHost: %1$s:%2$d\\r\\nConnection: close\\r\\n\\r\\n"
            .formatted(host, web.port());
    String script =
        "address=${http_proxy#http://}; address=${address%/}; printf '"
            + request
            + "' | nc -w 30 ${address%:*} ${address##*:}";
    return api.access(sandbox).exec("sh", "-c", script).field("/stdout");
  }

  @Test
  void anAllowedHostIsReachedAndNoOtherByAnyWay() {
    String sandbox = api.ready(PROFILE).path("id").asText();

    assertThat(fetch(sandbox, "web.example"))
        .startsWith("HTTP/1.1 200")
        .endsWith("hello from /path");
    assertThat(fetch(sandbox, "other.example")).startsWith("HTTP/1.1 403");
    String direct =
        "for a in 1.1.1.1:53 %s; do nc -w 3 ${a%%:*} ${a##*:} </dev/null && echo reached $a; done; true"
            .formatted(server());
    assertThat(api.access(sandbox).exec("sh", "-c", direct).field("/stdout")).isEmpty();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                api.get("/v1/sandboxes/" + sandbox + "/network").text().contains("other.example"));

    platform.kill();
    platform.restart(web.settings());
    api = platform.api();
    assertThat(fetch(sandbox, "web.example"))
        .startsWith("HTTP/1.1 200")
        .endsWith("hello from /path");
  }

  /** The API server, which the node of the pod reaches. */
  private static String server() {
    return api.get("/v1/hosts/cluster").json().path("address").asText().replace("https://", "");
  }
}
