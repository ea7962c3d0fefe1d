package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.token.Capability;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The relay in front of the real boxd. */
@ParameterizedClass
@EnumSource
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RelayTest {

  private static final int MEGABYTES = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Parameter Via via;

  private final RelayHarness relay = new RelayHarness();

  @SuppressWarnings("NullAway.Init") // before each transport
  private RealBoxd boxd;

  @BeforeParameterizedClassInvocation
  void start() throws Exception {
    boxd = RealBoxd.start(via, relay.keys, relay.issuer, RelayHarness.ID, 1);
    relay.boxdClient.awaitHealth(RelayHarness.ID, 1, boxd.address(), PATIENCE);
    relay.boxdClient.configure(
        RelayHarness.ID, 1, boxd.address(), Map.of("FROM", "platform"), 600, PATIENCE);
    relay.put(1, 0, boxd.address());
  }

  @AfterParameterizedClassInvocation
  void stop() throws Exception {
    boxd.close();
  }

  @AfterAll
  void close() {
    relay.close();
  }

  @Test
  void runs_a_command() throws Exception {
    HttpResponse<String> reply = exec("echo $FROM; exit 3");

    assertThat(reply.statusCode()).isEqualTo(200);
    JsonObject result = new JsonObject(reply.body());
    assertThat(result.getInteger("exit_code")).isEqualTo(3);
    assertThat(result.getString("stdout")).isEqualTo("platform\n");
    assertThat(relay.targets.uses.get()).isPositive();
  }

  @Test
  void replies_carry_the_security_headers_and_the_request_id() throws Exception {
    HttpResponse<String> reply =
        relay.http.send(
            relay.request("/v1/health").header("X-Request-Id", "mine-1").build(),
            BodyHandlers.ofString());

    assertThat(reply.headers().firstValue("X-Request-Id")).hasValue("mine-1");
    assertThat(reply.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(reply.headers().firstValue("Content-Security-Policy"))
        .hasValue("sandbox; default-src 'none'");
    assertThat(reply.headers().firstValue("Cross-Origin-Resource-Policy")).hasValue("same-origin");
    assertThat(reply.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(new JsonObject(reply.body()).getString("sandbox_id"))
        .isEqualTo(RelayHarness.ID.publicId());
  }

  @Test
  void a_hundred_megabytes_go_up_and_come_down_byte_for_byte(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("big");
    byte[] megabyte = new byte[1024 * 1024];
    Random random = new Random(7);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < MEGABYTES; i++) {
        random.nextBytes(megabyte);
        out.write(megabyte);
      }
    }
    HttpResponse<String> up =
        relay.http.send(
            relay.request("/v1/files/upload?path=big").POST(BodyPublishers.ofFile(file)).build(),
            BodyHandlers.ofString());
    assertThat(up.statusCode()).as(up.body()).isBetween(200, 204);
    assertThat(Files.mismatch(file, boxd.workspace().resolve("big"))).isEqualTo(-1);

    HttpResponse<InputStream> down =
        relay.http.send(
            relay.request("/v1/files/download?path=big").build(), BodyHandlers.ofInputStream());
    assertThat(digest(down.body())).isEqualTo(digest(Files.newInputStream(file)));
  }

  @Test
  void an_upload_without_length_arrives_whole() throws Exception {
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    HttpResponse<String> up =
        relay.http.send(
            relay
                .request("/v1/files/upload?path=chunked%20name")
                .POST(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(content)))
                .build(),
            BodyHandlers.ofString());

    assertThat(up.statusCode()).as(up.body()).isBetween(200, 204);
    assertThat(boxd.workspace().resolve("chunked name")).hasBinaryContent(content);
  }

  @Test
  void errors_of_boxd_pass_through() throws Exception {
    HttpResponse<String> reply =
        relay.http.send(
            relay.request("/v1/files/download?path=none").build(), BodyHandlers.ofString());

    assertThat(reply.statusCode()).isEqualTo(404);
    assertThat(new JsonObject(reply.body()).getJsonObject("error").getString("code"))
        .isEqualTo("NOT_FOUND");
  }

  @Test
  void each_route_wants_its_capability() throws Exception {
    HttpResponse<String> reply =
        relay.http.send(
            java.net.http.HttpRequest.newBuilder(relay.uri("/v1/exec"))
                .header("Authorization", "Bearer " + relay.token(Capability.FS_READ))
                .POST(BodyPublishers.ofString("{\"command\":\"true\"}"))
                .build(),
            BodyHandlers.ofString());

    assertThat(reply.statusCode()).isEqualTo(403);
    JsonObject body = new JsonObject(reply.body());
    assertThat(body.getString("capability")).isEqualTo("exec");
    assertThat(body.getJsonObject("error").getString("code")).isEqualTo("CAPABILITY_DENIED");
  }

  @Test
  void a_web_socket_runs_a_command_and_passes_frames_both_ways() throws Exception {
    Listener listener = new Listener();
    WebSocket socket =
        relay
            .http
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + relay.allToken())
            .buildAsync(
                java.net.URI.create(relay.uri("/v1/exec/ws").toString().replace("http:", "ws:")),
                listener)
            .join();
    socket.sendText("{\"type\":\"start\",\"command\":[\"cat\"]}", true).join();
    socket.sendText("{\"type\":\"stdin\",\"data\":\"over and out\"}", true).join();
    socket.sendText("{\"type\":\"stdin\",\"eof\":true}", true).join();

    await().until(() -> listener.text().contains("\"exit\""));
    assertThat(listener.text()).contains("over and out").contains("\"exit_code\":0");
    socket.abort();
    await().until(() -> relay.streams.count() == 0);
  }

  @Test
  void a_client_that_goes_away_ends_its_command() throws Exception {
    Path mark = boxd.workspace().resolve("mark");
    try (RawClient client = new RawClient(relay.port())) {
      String body = "{\"command\":\"echo $$ > mark; exec sleep 600\",\"timeout_ms\":600000}";
      client.send(
          "POST /dp/"
              + RelayHarness.ID
              + "/v1/exec HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + relay.allToken()
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
      await().until(() -> Files.exists(mark) && Files.size(mark) > 0);
    }
    awaitEnd(mark);
    await().until(() -> relay.streams.count() == 0);
  }

  /** A command that is still there when boxd is killed would outlive both. */
  private static void awaitEnd(Path mark) throws IOException {
    long pid = Long.parseLong(Files.readString(mark).strip());
    await().until(() -> ProcessHandle.of(pid).isEmpty());
  }

  @Test
  void closing_the_streams_of_a_sandbox_cuts_what_is_open() throws Exception {
    Path mark = boxd.workspace().resolve("cut");
    CompletableFuture<HttpResponse<String>> running =
        relay.http.sendAsync(
            relay
                .request("/v1/exec")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"command\":\"echo $$ > cut; exec sleep 600\"}"))
                .build(),
            BodyHandlers.ofString());
    await().until(() -> Files.exists(mark) && Files.size(mark) > 0);

    assertThat(relay.streams.close(RelayHarness.ID, 2)).isZero();
    assertThat(relay.streams.close(RelayHarness.ID, 1)).isEqualTo(1);
    assertThat(running.join().statusCode()).isEqualTo(502);
    assertThat(relay.streams.count()).isZero();
    awaitEnd(mark);
  }

  private HttpResponse<String> exec(String command) throws Exception {
    return relay.http.send(
        relay
            .request("/v1/exec")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(new JsonObject().put("command", command).encode()))
            .build(),
        BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  private static byte[] digest(InputStream in) throws Exception {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    try (DigestInputStream digested = new DigestInputStream(in, sha)) {
      digested.transferTo(OutputStream.nullOutputStream());
    }
    return sha.digest();
  }

  private static final class Listener implements WebSocket.Listener {

    private final List<String> texts = new CopyOnWriteArrayList<>();

    String text() {
      return String.join("", texts);
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      texts.add(data.toString());
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }
  }
}
