package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.testing.TestDatabase;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.SigningKeys;
import dev.sandboxer.platform.token.TokenMinter;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.vertx.core.json.JsonObject;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tickets, and what a real browser can do with the ports of sandboxes and what it cannot. */
@QuarkusTest
@TestProfile(PlatformRelayTest.Profile.class)
@QuarkusTestResource(TestDatabase.class)
class BrowserTest {

  private static final SandboxId ONE = new SandboxId("abcdefghij0123456789");
  private static final SandboxId TWO = new SandboxId("bbcdefghij0123456789");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** An address is there before the page is. */
  private static final String PAGE =
      "return location.pathname + ' ' + document.body?.innerText.trim()";

  @TestHTTPResource
  @SuppressWarnings("NullAway.Init") // set by the framework
  URI base;

  @Inject SigningKeys keys;
  @Inject Issuer issuer;
  @Inject TokenMinter minter;
  @Inject BoxdClient boxdClient;
  @Inject BoxdCertificates certificates;
  @Inject PlatformRelayTest.MapTargets targets;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @SuppressWarnings("NullAway.Init") // each test starts both
  private RealBoxd one;

  @SuppressWarnings("NullAway.Init") // each test starts both
  private RealBoxd two;

  private void start(Via via) throws Exception {
    one = boxd(via, ONE);
    two = boxd(via, TWO);
  }

  @AfterEach
  void stop() throws Exception {
    targets.known.clear();
    one.close();
    two.close();
  }

  private RealBoxd boxd(Via via, SandboxId id) throws Exception {
    RealBoxd boxd = RealBoxd.start(via, certificates, keys.get(), issuer, id, 1);
    boxdClient.awaitHealth(id, 1, boxd.address(), PATIENCE);
    boxdClient.configure(id, 1, boxd.address(), Map.of(), 600, PATIENCE);
    targets.known.put(id, new Target(id, "ten_x", 1, 0, Transport.of(boxd.address())));
    return boxd;
  }

  private String token(SandboxId id) {
    return minter
        .client(new ClientGrant(id, 1, 0, "user", null, "key_x", null, Capability.grantable()))
        .value();
  }

  private HttpResponse<String> tickets(SandboxId id, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(own() + "/dp/" + id + "/v1/tickets"))
            .header("Authorization", "Bearer " + token(id))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private String ticket(SandboxId id, String body, String... headers) throws Exception {
    HttpResponse<String> reply = tickets(id, body, headers);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    return new JsonObject(reply.body()).getString("ticket");
  }

  private String door(SandboxId id, App app, String path) throws Exception {
    String body = new JsonObject().put("port", app.port()).put("path", path).encode();
    HttpResponse<String> reply = tickets(id, body);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    return new JsonObject(reply.body()).getString("url");
  }

  private String own() {
    return "http://localhost:" + base.getPort();
  }

  private String handshake(SandboxId id, String route, String headers) throws IOException {
    try (RawClient client = new RawClient(base.getPort())) {
      return client
          .send(
              "GET /dp/"
                  + id
                  + "/v1"
                  + route
                  + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                  + headers
                  + "\r\n")
          .head();
    }
  }

  private static String offer(String ticket) {
    return "Sec-WebSocket-Protocol: sandboxer.ticket." + ticket + ", sandboxer.v1.binary\r\n";
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void a_ticket_is_good_once_for_what_it_was_made_for(Via via) throws Exception {
    start(via);
    String exec = "{\"route\":\"/exec/ws\"}";
    String good = ticket(ONE, exec);
    assertThat(handshake(ONE, "/exec/ws", offer(good)))
        .startsWith("HTTP/1.1 101 ")
        .containsIgnoringCase("sec-websocket-protocol: sandboxer.v1.binary")
        .doesNotContain(good);
    assertThat(handshake(ONE, "/exec/ws", offer(good))).startsWith("HTTP/1.1 401 ");

    String other = ticket(ONE, exec);
    assertThat(handshake(TWO, "/exec/ws", offer(other))).startsWith("HTTP/1.1 401 ");
    assertThat(handshake(ONE, "/exec/ws", offer(other))).as("burnt").startsWith("HTTP/1.1 401 ");
    assertThat(handshake(ONE, "/shell/ws", offer(ticket(ONE, exec)))).startsWith("HTTP/1.1 401 ");
    assertThat(
            handshake(ONE, "/exec/ws", offer(ticket(ONE, exec)) + "Origin: http://localhost\r\n"))
        .as("an origin that it was not made for")
        .startsWith("HTTP/1.1 401 ");
    String two = offer(ticket(ONE, exec)).replace(", ", ", sandboxer.ticket.x, ");
    assertThat(handshake(ONE, "/exec/ws", two)).startsWith("HTTP/1.1 401 ");
    assertThat(handshake(ONE, "/exec/ws", offer("A".repeat(43)))).startsWith("HTTP/1.1 401 ");

    String late = ticket(ONE, exec);
    targets.known.put(ONE, new Target(ONE, "ten_x", 1, 1, Transport.of(one.address())));
    assertThat(handshake(ONE, "/exec/ws", offer(late))).as("revoked").startsWith("HTTP/1.1 401 ");
  }

  @Test
  void wishes_that_can_not_be_fulfilled_are_named() throws Exception {
    start(Via.UNIX);
    for (String body :
        List.of(
            "{}",
            "[]",
            "nonsense",
            "{\"route\":\"/exec\"}",
            "{\"route\":5}",
            "{\"route\":\"/control/shutdown\"}",
            "{\"route\":\"/exec/ws\",\"more\":1}",
            "{\"port\":0}",
            "{\"port\":65536}",
            "{\"port\":\"80\"}",
            "{\"port\":80,\"path\":\"//evil.example\"}",
            "{\"port\":80,\"path\":\"x\"}",
            "{\"port\":80,\"route\":\"/exec/ws\"}")) {
      assertThat(tickets(ONE, body).statusCode()).as(body).isEqualTo(400);
    }
    String evil = "{\"route\":\"/exec/ws\",\"origin\":\"http://evil.example\"}";
    assertThat(tickets(ONE, evil).statusCode()).isEqualTo(403);
    assertThat(tickets(ONE, "x".repeat(5000)).statusCode()).isEqualTo(413);
    for (int i = 0; i < 64; i++) {
      assertThat(tickets(TWO, "{\"port\":80}").statusCode()).isEqualTo(201);
    }
    assertThat(tickets(TWO, "{\"port\":80}").statusCode()).isEqualTo(429);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void a_page_runs_a_command_with_a_ticket_and_with_a_first_frame(Via via) throws Exception {
    start(via);
    String origin = "{\"route\":\"/exec/ws\",\"origin\":\"" + own() + "\"}";
    try (Chromium chromium = new Chromium()) {
      Chromium.Tab page = chromium.open(own() + "/v1/health/live");
      awaitShown(page, "return location.origin", own());
      String talk =
          """
          const said = [];
          socket.onmessage = (m) => { said.push(m.data);
            if (JSON.parse(m.data).type === 'auth_ok') socket.send(start); };
          const start = JSON.stringify({type: 'start', command: ['echo', 'hi']});
          return await new Promise((done) => {
            socket.onopen = () => socket.send(FIRST);
            socket.onclose = () => done(socket.protocol + ' ' + said.join(' '));
          });
          """;
      String url = own().replace("http", "ws") + "/dp/" + ONE + "/v1/exec/ws";
      String withTicket =
          "const socket = new WebSocket('%s', ['sandboxer.ticket.%s', 'sandboxer.v1.json']);"
              .formatted(url, ticket(ONE, origin));
      assertThat(page.run(withTicket + talk.replace("FIRST", "start")))
          .startsWith("sandboxer.v1.json ")
          .contains("\"hi\\n\"")
          .contains("\"exit_code\":0");
      String auth = "JSON.stringify({type: 'auth', token: '" + token(ONE) + "'})";
      assertThat(
              page.run(
                  "const socket = new WebSocket('" + url + "');" + talk.replace("FIRST", auth)))
          .contains("auth_ok")
          .contains("\"hi\\n\"");
    }
  }

  @Test
  void ports_of_sandboxes_are_apart_from_each_other_and_from_the_platform() throws Exception {
    start(Via.UNIX);
    try (App first = new App();
        App second = new App();
        Chromium chromium = new Chromium()) {
      String url = door(ONE, first, "/page?x=1");
      Chromium.Tab here = chromium.open(url);
      awaitShown(here, PAGE, "/page hello");
      assertThat(here.run("return location.hash + document.cookie + document.referrer"))
          .doesNotContain("ticket=")
          .doesNotContain("sandboxer-port");
      assertThat(here.run("return (await fetch('/own')).status")).isEqualTo("200");
      String ticket = url.replaceAll(".*ticket=([^&]*).*", "$1");
      assertThat(first.heads).allSatisfy(head -> assertThat(head).doesNotContain(ticket));
      assertThat(first.heads)
          .allSatisfy(head -> assertThat(head).doesNotContainIgnoringCase("sandboxer-port"));

      Chromium.Tab there = chromium.open(door(TWO, second, "/page"));
      awaitShown(there, PAGE, "/page hello");
      String foreign = there.run("return location.origin");
      Chromium.Tab sibling = chromium.open(door(ONE, second, "/page"));
      awaitShown(sibling, PAGE, "/page hello");
      String nextPort = sibling.run("return location.origin");
      for (String other : List.of(foreign, nextPort)) {
        assertThat(here.run("return await " + fetch(other + "/secret", "cors")))
            .isEqualTo("failed");
        assertThat(here.run("return await " + fetch(other + "/write", "no-cors")))
            .isIn("opaque", "failed");
        assertThat(here.run(socket(other.replace("http", "ws") + "/ws"))).isEqualTo("refused");
        assertThat(here.run(frame(other + "/framed"))).doesNotContain("hello");
      }
      assertThat(second.heads)
          .noneMatch(head -> head.contains("/secret"))
          .noneMatch(head -> head.contains("/write"))
          .noneMatch(head -> head.contains("/framed"));
      assertThat(here.run("return await " + fetch(own() + "/v1/sandboxes", "cors")))
          .isEqualTo("failed");
      String exec = own().replace("http", "ws") + "/dp/" + TWO + "/v1/exec/ws";
      assertThat(here.run(socket(exec))).isEqualTo("refused");

      assertThat(here.run("await navigator.serviceWorker.register('/sw.js'); return 'done'"))
          .isEqualTo("done");
      awaitShown(here, "return (await fetch('/own')).headers.get('x-worker')", "yes");
      assertThat(there.run("return (await fetch('/own')).headers.get('x-worker')"))
          .isEqualTo("null");
      assertThat(there.run("return String(navigator.serviceWorker.controller)")).isEqualTo("null");
      targets.known.put(ONE, new Target(ONE, "ten_x", 1, 1, Transport.of(one.address())));
      assertThat(here.run("return (await fetch('/after')).status")).as("revoked").isEqualTo("401");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void html_from_files_and_ports_runs_nothing_on_the_platforms_origin(Via via) throws Exception {
    start(via);
    byte[] html =
        "<title>before</title><script>document.title='ran'</script>"
            .getBytes(StandardCharsets.UTF_8);
    java.nio.file.Files.write(one.workspace().resolve("evil.html"), html);
    java.nio.file.Files.write(one.workspace().resolve("evil.svg"), html);
    try (App app = new App();
        Chromium chromium = new Chromium()) {
      for (String path :
          List.of(
              "/files/download?path=evil.html",
              "/files/download?path=evil.svg",
              "/ports/" + app.port() + "/evil")) {
        Chromium.Tab tab = chromium.open("about:blank");
        var _ = tab.call("Network.enable", new JsonObject());
        var _ =
            tab.call(
                "Network.setExtraHTTPHeaders",
                new JsonObject()
                    .put("headers", new JsonObject().put("Authorization", "Bearer " + token(ONE))));
        tab.go(own() + "/dp/" + ONE + "/v1" + path);
        awaitShown(tab, "return document.readyState", "complete");
        assertThat(tab.run("return document.title")).as(path).isNotEqualTo("ran");
        assertThat(tab.run("return self.origin")).as(path).isNotEqualTo(own());
      }
      assertThat(app.heads).anyMatch(head -> head.contains("/evil"));
      // The same page does run on the port's own origin, so that the above can fail.
      Chromium.Tab good = chromium.open(door(ONE, app, "/evil"));
      awaitShown(good, "return document.title", "ran");
    }
  }

  /** While a page is being left, the browser answers a script with an error. */
  private static void awaitShown(Chromium.Tab tab, String script, String value) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> tab.run(script).equals(value));
  }

  private static String fetch(String url, String mode) {
    return "fetch('%s', {mode: '%s', credentials: 'include', method: 'POST'}).then(r => r.type, () => 'failed')"
        .formatted(url, mode);
  }

  private static String socket(String url) {
    return "const s = new WebSocket('%s'); return await new Promise(d => { s.onopen = () => d('open'); s.onerror = () => d('refused'); })"
        .formatted(url);
  }

  private static String frame(String url) {
    return """
        const f = document.createElement('iframe'); f.src = '%s';
        const loaded = new Promise(d => { f.onload = d; });
        document.body.append(f); await loaded;
        try { return f.contentDocument ? f.contentDocument.body.innerText : 'apart'; }
        catch (e) { return 'apart'; }
        """
        .formatted(url);
  }

  /** An application inside: what listens on loopback beside boxd. */
  private static final class App implements AutoCloseable {

    private final HttpServer server;
    private final List<String> heads = new CopyOnWriteArrayList<>();

    App() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
      server.createContext("/", this::answer);
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
      String path = exchange.getRequestURI().toString();
      heads.add(
          exchange.getRequestMethod() + " " + path + " " + exchange.getRequestHeaders().entrySet());
      boolean script = path.equals("/sw.js");
      String body =
          script
              ? "self.addEventListener('install', () => self.skipWaiting());"
                  + "self.addEventListener('activate', (e) => e.waitUntil(clients.claim()));"
                  + "self.addEventListener('fetch', (e) => { if (e.request.url.endsWith('/own'))"
                  + " e.respondWith(new Response('', {headers: {'x-worker': 'yes'}})); });"
              : path.equals("/evil")
                  ? "<title>before</title><script>document.title='ran'</script>"
                  : "<p>hello</p>";
      exchange
          .getResponseHeaders()
          .set("Content-Type", script ? "text/javascript" : "text/html; charset=utf-8");
      exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
