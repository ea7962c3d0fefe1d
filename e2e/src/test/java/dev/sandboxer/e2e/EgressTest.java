package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What a profile allows is reached through the platform's proxy, and nothing else by any way. */
@OnEveryBackend
class EgressTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String FETCH =
      """
      import sys, urllib.request, urllib.error
      try:
          reply = urllib.request.urlopen(sys.argv[1], timeout=30)
          print(reply.status, reply.read().decode())
      except urllib.error.HTTPError as e:
          print(e.code, e.read().decode())
      """;

  private static final String TUNNEL =
      """
      import http.client, sys
      proxy = http.client.HTTPConnection("127.0.0.1", 3128, timeout=30)
      proxy.set_tunnel("web.example", int(sys.argv[1]))
      for path in "/one", "/two":
          proxy.request("GET", path)
          print(proxy.getresponse().read().decode())
      """;

  private static final String DIRECT =
      """
      import socket, sys
      for address in (sys.argv[1], "192.0.2.1", "1.1.1.1"):
          try:
              socket.create_connection((address, int(sys.argv[2])), timeout=5)
              print("reached", address)
          except OSError as e:
              print("refused")
      """;

  @Parameter private Backend backend;

  private Website web;
  private Platform platform;
  private Api api;
  private String profile = "";

  @BeforeAll
  void start() throws IOException {
    web = new Website();
    platform = Platform.start(web.settings());
    api = platform.api();
  }

  @BeforeEach
  void makeProfile() throws IOException {
    profile = "egress-" + backend;
    platform.profile(
        profile,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        network: {mode: allow, allow: [{host: web.example, ports: [%d, %d, %d]}]}
        """
            .formatted(
                profile,
                backend.profileWithPython(),
                web.port(),
                platform.url().getPort(),
                databasePort()));
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    platform.close();
    web.close();
  }

  /** The third line of PostgreSQL's pid file is its start, the fourth its port. */
  private int databasePort() throws IOException {
    List<String> lines = Files.readAllLines(platform.home().resolve("data/postmaster.pid"));
    return Integer.parseInt(lines.get(3));
  }

  /** Although the operator has opened the address, and the profile allows host and port. */
  @Test
  void thePlatformAndItsDatabaseAreNotReached() throws IOException {
    String sandbox = sandbox();
    for (int port : new int[] {platform.url().getPort(), databasePort()}) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(python(sandbox, FETCH, "http://web.example:%d/".formatted(port)))
                      .startsWith("403 ")
                      .contains("web.example:%d is the platform's own".formatted(port)));
    }
  }

  private String sandbox() {
    return api.ready(profile).path("id").asText();
  }

  private String python(String sandbox, String program, String... arguments) {
    String[] command = new String[3 + arguments.length];
    System.arraycopy(new String[] {"python3", "-c", program}, 0, command, 0, 3);
    System.arraycopy(arguments, 0, command, 3, arguments.length);
    Api.Reply reply = api.access(sandbox).exec(command);
    assertThat(reply.field("/stderr")).isEmpty();
    return reply.field("/stdout");
  }

  private String url(String host) {
    return "http://%s:%d/path".formatted(host, web.port());
  }

  private List<JsonNode> denials(String sandbox) {
    return StreamSupport.stream(
            api.get("/v1/sandboxes/" + sandbox + "/events").json().path("items").spliterator(),
            false)
        .filter(event -> event.path("type").asText().equals("network.denied"))
        .toList();
  }

  @Test
  void anAllowedHostIsReachedAndNoOther() {
    String sandbox = sandbox();
    String port = String.valueOf(web.port());

    assertThat(python(sandbox, FETCH, url("web.example"))).isEqualTo("200 hello from /path\n");
    assertThat(python(sandbox, TUNNEL, port)).isEqualTo("hello from /one\nhello from /two\n");
    assertThat(denials(sandbox)).isEmpty();

    for (int i = 0; i < 3; i++) {
      assertThat(python(sandbox, FETCH, url("other.example")))
          .startsWith("403 ")
          .contains("{host: other.example, ports: [%s]}".formatted(port));
    }
    assertThat(python(sandbox, FETCH, "http://web.example/")).startsWith("403 ");
    assertThat(python(sandbox, DIRECT, "127.0.0.1", port)).isEqualTo("refused\n".repeat(3));
    await().atMost(PATIENCE).until(() -> denials(sandbox).size() == 2);
    JsonNode network = api.get("/v1/sandboxes/" + sandbox + "/network").json();
    assertThat(network.at("/hosts/0/host").asText()).isEqualTo("web.example");
    assertThat(network.at("/hosts/0/port").asText()).isEqualTo(port);
    assertThat(network.at("/hosts/0/connections").asInt()).isEqualTo(2);
    assertThat(network.at("/hosts/0/received_bytes").asInt()).isPositive();
    assertThat(network.path("hosts")).hasSize(3);
    assertThat(denials(sandbox).getFirst().at("/detail/destination_host").asText())
        .isEqualTo("other.example");
    assertThat(denials(sandbox).getFirst().at("/detail/destination_port").asText()).isEqualTo(port);
  }

  @Test
  void theWayOutOutlivesThePlatform() {
    String sandbox = sandbox();
    assertThat(python(sandbox, FETCH, url("web.example"))).startsWith("200 ");

    platform.kill();
    platform.restart(web.settings());
    api = platform.api();

    assertThat(python(sandbox, FETCH, url("web.example"))).startsWith("200 ");
    Api.Reply again =
        api.post(
            "/v1/sandboxes/" + sandbox + "/recreate", "", "If-Match", "1", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isIn(200, 201, 202);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + sandbox).field("/state").equals("ready"));
    assertThat(python(sandbox, FETCH, url("web.example"))).startsWith("200 ");
  }

  @Test
  void withoutANetworkThereIsNoProxy() {
    String sandbox = api.ready(backend.profileWithPython()).path("id").asText();
    assertThat(api.access(sandbox).exec("sh", "-c", "env | grep -ci proxy").field("/stdout"))
        .isEqualTo("0\n");
    assertThat(python(sandbox, DIRECT, "127.0.0.1", "3128")).isEqualTo("refused\n".repeat(3));
  }
}
