package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.platform.address.AddressRange;
import dev.sandboxer.platform.address.CallableAddresses;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.SocketCheck;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.egress.EgressAuthority;
import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.egress.EgressFigures.Figures;
import dev.sandboxer.platform.egress.EgressFigures.HostFigures;
import dev.sandboxer.platform.egress.EgressProxy;
import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.egress.EgressRules;
import dev.sandboxer.platform.egress.WayOut;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.AcceptedTokens;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.platform.token.TokenMinter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.StandardConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The way out, from a program's socket by boxd and the proxy to a host. */
class EgressProxyTest {

  private static final SandboxId ID = new SandboxId("abcdefghij0123456789");
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MILLIS = 60_000;

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
  private final KeyRing keys = KeyRing.generate();
  private final Issuer issuer = new Issuer("11111111-2222-3333-4444-555555555555");
  private final WireClient wire =
      new WireClient(
          vertx,
          new SocketCheck(uid -> false),
          TestCertificates.ALL,
          Optional.empty(),
          (_, _, _) -> "none",
          WireClient.SLOT_LIMIT);
  private final TokenMinter minter =
      new TokenMinter(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());
  private final List<String> denied = new CopyOnWriteArrayList<>();
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final HttpServer web = web();
  private final int port = freePort();

  /** Loopback is opened, as an operator opens a private range. */
  private final EgressProxy proxy = proxy("127.0.0.1/32");

  private RealBoxd boxd = RealBoxd.start(keys, issuer, ID, 3);
  private WayOut out = open();

  @BeforeEach
  void begin() {
    assertThat(out.figures().total().sentBytes()).isZero();
  }

  @AfterEach
  void close() throws IOException {
    out.close();
    proxy.close();
    boxd.close();
    web.stop(0);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private EgressProxy proxy(String opened) {
    return proxy(opened, Duration.ofHours(1));
  }

  private EgressProxy proxy(String opened, Duration longest) {
    return new EgressProxy(
        vertx,
        wire,
        minter,
        new CallableAddresses(List.of(AddressRange.parse(opened))),
        (_, _) -> false,
        List.of(),
        new TestAuthority().trust(),
        longest,
        meters,
        Clock.systemUTC(),
        port);
  }

  private WayOut open() {
    return open(proxy, boxd, rules("localhost", webPort()));
  }

  private WayOut open(EgressProxy by, RealBoxd to, EgressRules rules) {
    try {
      return by.open(
          new Endpoint(ID, 3, Transport.of(to.address())),
          rules,
          List.of(),
          new EgressAuthority(TestCertificates::digest, ID, 3, List.of()),
          (host, hostPort, reason) -> denied.add(host + ":" + hostPort + " " + reason),
          LIMIT);
    } catch (EgressException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static EgressRules rules(String host, int hostPort) {
    return new EgressRules(
        false, List.of(new EgressRules.Rule(HostPattern.parse(host), Set.of(hostPort), Set.of())));
  }

  private HttpServer web() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", this::echo);
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void echo(HttpExchange exchange) throws IOException {
    heads.add(
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI()
            + " "
            + exchange.getRequestHeaders().keySet()
            + exchange.getRequestHeaders().get("Host"));
    byte[] body = exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private int webPort() {
    return web.getAddress().getPort();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Socket inside() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(MILLIS);
    return socket;
  }

  /** Says all of it, and gives what comes until the end. */
  private String say(String text) throws IOException {
    try (Socket socket = inside()) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      socket.getInputStream().transferTo(all);
      return all.toString(StandardCharsets.ISO_8859_1);
    }
  }

  private String head(String method, String uri, String... lines) {
    return method
        + " "
        + uri
        + " HTTP/1.1\r\n"
        + String.join("", List.of(lines).stream().map(line -> line + "\r\n").toList())
        + "\r\n";
  }

  private String webUrl(String path) {
    return "http://localhost:" + webPort() + path;
  }

  @ParameterizedTest
  @EnumSource
  void a_program_that_knows_proxies_reaches_an_allowed_host(Via via) throws Exception {
    out.close();
    boxd.close();
    boxd = RealBoxd.start(via, keys, issuer, ID, 3);
    out = open();
    HttpClient client =
        HttpClient.newBuilder()
            .proxy(ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
            .build();
    byte[] body = new byte[3_000_000];
    new Random(1).nextBytes(body);

    for (int i = 0; i < 20; i++) { // more than streams wait
      HttpResponse<byte[]> reply =
          client.send(
              HttpRequest.newBuilder(URI.create(webUrl("/path?query")))
                  .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(reply.statusCode()).isEqualTo(200);
      assertThat(reply.body()).isEqualTo(body);
    }

    assertThat(heads).allMatch(head -> head.startsWith("POST /path?query"));
    EgressFigures figures = out.figures();
    assertThat(figures.total().sentBytes()).isGreaterThan(60_000_000);
    assertThat(figures.total().receivedBytes()).isGreaterThan(60_000_000);
    assertThat(figures.hosts())
        .singleElement()
        .isEqualTo(
            new HostFigures(
                "localhost",
                webPort(),
                new Figures(20, 0, figures.total().sentBytes(), figures.total().receivedBytes())));
    assertThat(denied).isEmpty();
  }

  @Test
  void a_tunnel_carries_anything_both_ways() throws Exception {
    byte[] content = new byte[8 << 20];
    new Random(2).nextBytes(content);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out.close();
      out = open(proxy, boxd, rules("localhost", server.getLocalPort()));
      Thread.ofVirtual().start(() -> echoOnce(server));
      try (Socket socket = inside()) {
        socket
            .getOutputStream()
            .write(
                head("CONNECT", "LOCALHOST.:" + server.getLocalPort())
                    .getBytes(StandardCharsets.ISO_8859_1));
        assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 200 Connection established");
        assertThat(line(socket.getInputStream())).isEmpty();
        Thread.ofVirtual().start(() -> write(socket, content));
        assertThat(socket.getInputStream().readNBytes(content.length)).isEqualTo(content);
      }
    }
  }

  /** In pieces of each size, so that a name is found wherever it is cut. */
  @ParameterizedTest
  @CsvSource({"localhost, 1", "LOCALHOST, 7", "localhost, 10000", "'', 10000", "'', 3"})
  void tls_to_the_host_that_was_allowed_passes(String name, int piece) throws Exception {
    byte[] hello = hello(name);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = tunnel(server)) {
      Thread.ofVirtual().start(() -> echoOnce(server));
      for (int at = 0; at < hello.length; at += piece) {
        write(socket, Arrays.copyOfRange(hello, at, Math.min(hello.length, at + piece)));
      }
      assertThat(socket.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
      write(socket, new byte[] {1, 2, 3});
      assertThat(socket.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
    }
    assertThat(denied).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"other.example, 1", "other.example, 10000", "sub.localhost, 5", "127.0.0.1, 9"})
  void tls_that_names_another_host_reaches_nobody(String name, int piece) throws Exception {
    byte[] hello = hello(name);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = tunnel(server)) {
      try (Socket host = server.accept()) {
        host.setSoTimeout(MILLIS);
        for (int at = 0; at < hello.length; at += piece) {
          write(socket, Arrays.copyOfRange(hello, at, Math.min(hello.length, at + piece)));
        }
        assertThat(socket.getInputStream().readAllBytes())
            .as("a TLS alert, unrecognized_name")
            .containsExactly(21, 3, 3, 0, 2, 2, 112);
        assertThat(host.getInputStream().read()).isNegative();
      }
      assertThat(denied)
          .singleElement()
          .asString()
          .startsWith(name + ":" + server.getLocalPort())
          .contains("TLS names the server '" + name + "'");
    }
    assertThat(out.figures().total().sentBytes()).isZero();
    assertThat(out.figures().total().denied()).isEqualTo(1);
  }

  @Test
  void tls_over_socks_that_names_another_host_reaches_nobody() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out.close();
      out = open(proxy, boxd, rules("localhost", server.getLocalPort()));
      try (Socket socket = socks("localhost", server.getLocalPort());
          Socket host = server.accept()) {
        host.setSoTimeout(MILLIS);
        write(socket, hello("other.example"));
        assertThat(socket.getInputStream().readAllBytes())
            .as("a TLS alert, unrecognized_name")
            .containsExactly(21, 3, 3, 0, 2, 2, 112);
        assertThat(host.getInputStream().read()).isNegative();
      }
    }
    assertThat(denied).singleElement().asString().startsWith("other.example:");
  }

  @Test
  void a_client_hello_that_does_not_come_whole_in_time_reaches_nobody() throws Exception {
    byte[] hello = hello("localhost");
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = tunnel(server);
        Socket host = server.accept()) {
      host.setSoTimeout(MILLIS);
      write(socket, Arrays.copyOf(hello, hello.length - 1));
      assertThat(host.getInputStream().read()).isNegative();
      assertThat(socket.getInputStream().read()).isNegative();
    }
    assertThat(out.figures().total().sentBytes()).isZero();
  }

  @Test
  void a_client_hello_without_an_end_reaches_nobody() throws Exception {
    byte[] records = new byte[9 * (5 + 16_000)];
    for (int i = 0; i < 9; i++) { // as if of one message of a megabyte
      byte[] head = {22, 3, 1, 16_000 >> 8, (byte) 16_000, 1, 16, 0, 0};
      System.arraycopy(head, 0, records, i * (5 + 16_000), i == 0 ? 9 : 5);
    }
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = tunnel(server);
        Socket host = server.accept()) {
      host.setSoTimeout(MILLIS);
      Thread.ofVirtual().start(() -> writeAnyway(socket, records));
      assertThat(host.getInputStream().read()).isNegative();
    }
    assertThat(out.figures().total().sentBytes()).isZero();
  }

  @Test
  void what_is_not_tls_passes() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = tunnel(server)) {
      Thread.ofVirtual().start(() -> echoOnce(server));
      write(socket, "SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(line(socket.getInputStream())).isEqualTo("SSH-2.0-x");
    }
  }

  /** To the server by the name localhost, as the only one that is allowed. */
  private Socket tunnel(ServerSocket server) throws IOException {
    out.close();
    out = open(proxy, boxd, rules("localhost", server.getLocalPort()));
    return connect("localhost:" + server.getLocalPort());
  }

  private Socket connect(String host) throws IOException {
    Socket socket = inside();
    write(socket, head("CONNECT", host).getBytes(StandardCharsets.ISO_8859_1));
    assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 200 Connection established");
    assertThat(line(socket.getInputStream())).isEmpty();
    return socket;
  }

  /** What a TLS client of the JDK sends first. */
  private static byte[] hello(String name) throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(true);
    if (!name.isEmpty()) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new RawName(name)));
      engine.setSSLParameters(parameters);
    }
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), hello);
    return Arrays.copyOf(hello.array(), hello.position());
  }

  /** A name as it is, which need not be one. */
  private static final class RawName extends SNIServerName {
    private RawName(String name) {
      super(StandardConstants.SNI_HOST_NAME, name.getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static void writeAnyway(Socket to, byte[] content) {
    try {
      to.getOutputStream().write(content);
    } catch (IOException e) {
      // it was cut, as it must be
    }
  }

  private static void echoOnce(ServerSocket server) {
    try (Socket socket = server.accept()) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Socket to, byte[] content) {
    try {
      to.getOutputStream().write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(InputStream from) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = from.read(); c >= 0 && c != '\n'; c = from.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private Socket socks(String host, int hostPort) throws IOException {
    Socket socket =
        new Socket(
            new Proxy(
                Proxy.Type.SOCKS, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    socket.setSoTimeout(MILLIS);
    socket.connect(InetSocketAddress.createUnresolved(host, hostPort));
    return socket;
  }

  @Test
  void socks5_with_names_is_spoken_too() throws Exception {
    try (Socket socket = socks("localhost", webPort())) {
      write(
          socket,
          head("GET", "/socks", "Host: x", "Connection: close")
              .getBytes(StandardCharsets.ISO_8859_1));
      assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 200 OK");
    }
    assertThatThrownBy(() -> socks("other.example", 443))
        .hasMessageContaining("not allowed by ruleset");
    assertThat(denied).singleElement().asString().startsWith("other.example:443");
  }

  @ParameterizedTest
  @CsvSource({
    "CONNECT, example.com:443, 'example.com:443 is not allowed: network.allow', '{host: example.com, ports: [443]}'",
    "CONNECT, localhost:1, localhost:1 is not allowed, 'ports: [1]'",
    "CONNECT, 127.0.0.1:80, 127.0.0.1:80 is not allowed, network.allow",
    "CONNECT, [::ffff:127.0.0.1]:80, 127.0.0.1:80 is not allowed, network.allow",
    "GET, http://sub.localhost/x, sub.localhost:80 is not allowed, network.allow",
  })
  void what_no_rule_allows_is_refused_with_the_key_that_would(
      String method, String uri, String message, String key) throws Exception {
    List<String> reply = say(head(method, uri)).lines().toList();
    assertThat(reply.getFirst())
        .as("all that most programs show")
        .startsWith("HTTP/1.1 403 sandboxer: ")
        .contains(message, key);
    assertThat(reply.getLast()).as("the body").startsWith("sandboxer: ").contains(message, key);

    assertThat(denied).singleElement().asString().contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CONNECT 2130706433:80",
        "CONNECT 0x7f000001:80",
        "CONNECT 127.1:80",
        "CONNECT 0177.0.0.1:80",
        "CONNECT localhost",
        "CONNECT localhost:0",
        "CONNECT localhost:65536",
        "CONNECT localhost:80x",
        "CONNECT user@localhost:80",
        "CONNECT [::1%lo]:80",
        "CONNECT lo_cal\u0000host:80",
        "CONNECT b\u00fccher.example:80",
        "CONNECT -.example:80",
        "CONNECT [::1:80",
        "CONNECT :80",
        "GET /path",
        "GET https://localhost/",
        "GET http://",
        "GET http://u:p@localhost/",
        "nonsense",
        "GET http://localhost..:80/"
      })
  void a_request_that_is_none_is_refused(String request) throws Exception {
    String status = say(request + " HTTP/1.1\r\n\r\n").lines().findFirst().orElseThrow();
    assertThat(status).matches("HTTP/1.1 400 sandboxer: [ -~]+");
    assertThat(heads).isEmpty();
    assertThat(denied).isEmpty();
  }

  /** Each connection carries one checked request: the second goes to nobody. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Content-Length: 5\r\n\r\nabcde",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
      })
  void a_request_behind_an_allowed_one_goes_nowhere(String body) throws Exception {
    String first =
        "POST "
            + webUrl("/first")
            + " HTTP/1.1\r\nHost: elsewhere.example\r\n"
            + (body.isEmpty() ? "\r\n" : body);
    String second = head("GET", "/second", "Host: localhost");

    String reply = say(first + second + second);

    assertThat(reply).startsWith("HTTP/1.1 200 OK").containsOnlyOnce("HTTP/1.1");
    assertThat(heads)
        .singleElement()
        .asString()
        .startsWith("POST /first")
        .endsWith("[localhost:" + webPort() + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: chunked\r\nContent-Length: 200\r\n\r\n0\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "Content-Length: -1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n"
      })
  void a_body_of_doubtful_length_reaches_nobody(String body) throws Exception {
    assertThat(say("POST " + webUrl("/doubtful") + " HTTP/1.1\r\n" + body))
        .startsWith("HTTP/1.1 400 ");
    assertThat(heads).isEmpty();
  }

  @Test
  void an_interim_reply_comes_before_the_one_that_ends_the_connection() throws Exception {
    String request = head("POST", webUrl("/interim"), "Content-Length: 2", "Expect: 100-continue");
    assertThat(say(request + "ab"))
        .startsWith("HTTP/1.1 100 Continue\r\n")
        .contains("\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n")
        .containsOnlyOnce("Connection: close");
  }

  @Test
  void what_is_the_proxys_is_not_passed_on() throws Exception {
    say(
        head(
            "GET",
            webUrl("?q"),
            "Proxy-Authorization: Basic c2VjcmV0",
            "Proxy-Connection: keep-alive",
            "X-Mine: 1",
            "X-RelaySpan: 1",
            "Connection: X-RelaySpan, keep-alive, Content-Length",
            "TE: trailers",
            "Upgrade: h2c"));

    assertThat(heads)
        .singleElement()
        .asString()
        .startsWith("GET /?q")
        .contains("X-mine")
        .doesNotContain("Proxy", "X-hop", "Te", "Upgrade");
  }

  @Test
  void a_name_that_leads_inwards_is_refused_though_it_is_allowed() throws Exception {
    try (EgressProxy closed = proxy("192.0.2.0/24")) {
      out.close();
      out = open(closed, boxd, rules("localhost", webPort()));

      assertThat(say(head("GET", webUrl("/"))))
          .startsWith("HTTP/1.1 403 ")
          .contains("localhost leads to 127.0.0.1, which is no public address");
      assertThat(heads).isEmpty();
      assertThat(denied).singleElement().asString().contains("127.0.0.1");
    }
  }

  @Test
  void a_host_that_does_not_answer_is_not_a_refusal() throws Exception {
    int nobody = freePort();
    out.close();
    out = open(proxy, boxd, rules("*.invalid.example", 80));
    assertThat(say(head("CONNECT", "a.invalid.example:80"))).startsWith("HTTP/1.1 502 ");
    out.close();
    out = open(proxy, boxd, rules("localhost", nobody));
    assertThat(say(head("CONNECT", "localhost:" + nobody)))
        .startsWith("HTTP/1.1 502 ")
        .contains("takes no connection");
    assertThat(denied).isEmpty();
  }

  @Test
  void everywhere_means_the_ports_of_the_web_and_no_inner_address() throws Exception {
    out.close();
    out = open(proxy("192.0.2.0/24"), boxd, new EgressRules(true, List.of()));

    assertThat(say(head("CONNECT", "localhost:22")))
        .startsWith("HTTP/1.1 403 ")
        .contains("80 and 443");
    assertThat(say(head("CONNECT", "localhost:443")))
        .startsWith("HTTP/1.1 403 ")
        .contains("127.0.0.1");
    assertThat(say(head("CONNECT", "[::1]:443")))
        .startsWith("HTTP/1.1 403 ")
        .contains("no public address");
    assertThat(say(head("CONNECT", "[64:ff9b::10.0.0.1]:443"))).startsWith("HTTP/1.1 403 ");
    assertThat(denied).hasSize(4);
  }

  /** A program cannot hide a host that it has called behind names that it makes up. */
  @Test
  void a_hundred_hosts_have_figures_and_those_that_were_called_come_first() throws Exception {
    for (int i = 0; i < 120; i++) {
      say(head("CONNECT", "made-up-%d.example:443".formatted(i)));
    }
    say(head("GET", webUrl("/")));
    say(head("CONNECT", "localhost:1"));
    say("nonsense HTTP/1.1\r\n\r\n");

    EgressFigures figures = out.figures();
    assertThat(figures.hosts()).hasSize(100);
    HostFigures first = figures.hosts().getFirst();
    assertThat(first.host()).isEqualTo("localhost");
    assertThat(first.port()).isEqualTo(webPort());
    assertThat(first.figures().connections()).isEqualTo(1);
    assertThat(figures.others().denied()).isEqualTo(22);
    assertThat(figures.total().denied()).isEqualTo(121);
    assertThat(count("sandboxer.egress.connections", "result", "connected")).isEqualTo(1);
    assertThat(count("sandboxer.egress.connections", "result", "denied")).isEqualTo(121);
    assertThat(count("sandboxer.egress.connections", "result", "failed")).isEqualTo(1);
    assertThat(count("sandboxer.egress.bytes", "direction", "sent"))
        .isEqualTo(first.figures().sentBytes());
    assertThat(count("sandboxer.egress.bytes", "direction", "received"))
        .isEqualTo(first.figures().receivedBytes())
        .isPositive();
  }

  private long count(String name, String key, String value) {
    Meter meter = meters.get(name).tag(key, value).meter();
    return (long) meter.measure().iterator().next().getValue();
  }

  /** By its address, over HTTP and SOCKS, and with whatever name TLS has. */
  @Test
  void an_address_of_an_allowed_range_is_reached() throws Exception {
    out.close();
    out = open(proxy, boxd, rules("127.0.0.0/30", webPort()));

    assertThat(say(head("GET", "http://127.0.0.1:%d/range".formatted(webPort()))))
        .startsWith("HTTP/1.1 200 ");
    assertThat(say(head("CONNECT", "127.0.0.4:" + webPort())))
        .startsWith("HTTP/1.1 403 ")
        .contains("{host: 127.0.0.4/32, ports: [%d]}".formatted(webPort()), "if the operator");
    assertThat(say(head("CONNECT", "127.0.0.2:" + webPort())))
        .as("within the rule, and not opened")
        .startsWith("HTTP/1.1 403 ")
        .contains("SANDBOXER_EGRESS_ALLOW");
    assertThat(say(head("CONNECT", "localhost:" + webPort()))).startsWith("HTTP/1.1 403 ");
    Proxy socks =
        new Proxy(Proxy.Type.SOCKS, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    try (Socket socket = new Socket(socks)) {
      socket.setSoTimeout(MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), webPort()));
      write(socket, head("GET", "/socks", "Host: x").getBytes(StandardCharsets.ISO_8859_1));
      assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 200 OK");
    }
    assertThat(heads).hasSize(2);
  }

  @Test
  void an_address_that_was_allowed_may_have_any_name_in_tls() throws Exception {
    byte[] hello = hello("other.example");
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out.close();
      out = open(proxy, boxd, rules("127.0.0.1/32", server.getLocalPort()));
      Thread.ofVirtual().start(() -> echoOnce(server));
      try (Socket socket = connect("127.0.0.1:" + server.getLocalPort())) {
        write(socket, hello);
        assertThat(socket.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
      }
    }
  }

  @Test
  void without_rules_nothing_is_reached() throws Exception {
    out.close();
    out = open(proxy, boxd, new EgressRules(false, List.of()));

    assertThat(say(head("GET", webUrl("/")))).startsWith("HTTP/1.1 403 ");
    assertThat(heads).isEmpty();
  }

  @Test
  void a_way_out_that_is_closed_ends_what_goes_through_it() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out.close();
      out = open(proxy, boxd, rules("localhost", server.getLocalPort()));
      try (Socket socket = inside()) {
        write(
            socket,
            head("CONNECT", "localhost:" + server.getLocalPort())
                .getBytes(StandardCharsets.ISO_8859_1));
        assertThat(line(socket.getInputStream())).contains("200");
        try (Socket host = server.accept()) {
          host.setSoTimeout(MILLIS);
          out.close();
          assertThat(host.getInputStream().read()).isNegative();
        }
        assertThat(line(socket.getInputStream())).isEmpty();
        assertThat(socket.getInputStream().read()).isNegative();
      }
    }
  }

  /** It is never idle, and goes on until it is ended. */
  @Test
  void a_host_that_never_ends_is_ended() throws Exception {
    try (EgressProxy brief = proxy("127.0.0.1/32", Duration.ofSeconds(1));
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out.close();
      out = open(brief, boxd, rules("localhost", server.getLocalPort()));
      try (Socket socket = inside()) {
        write(
            socket,
            head("CONNECT", "localhost:" + server.getLocalPort())
                .getBytes(StandardCharsets.ISO_8859_1));
        try (Socket host = server.accept()) {
          Thread.ofVirtual().start(() -> readAnyway(socket));
          assertThatThrownBy(
                  () -> {
                    while (true) {
                      host.getOutputStream().write(new byte[1000]);
                    }
                  })
              .isInstanceOf(IOException.class);
        }
      }
    }
  }

  private static void readAnyway(Socket from) {
    try {
      from.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // it was cut, as it must be
    }
  }

  @Test
  void a_boxd_that_is_gone_gives_no_way_out() throws Exception {
    out.close();
    boxd.kill();
    assertThatThrownBy(
            () ->
                proxy.open(
                    new Endpoint(ID, 3, Transport.of(boxd.address())),
                    rules("localhost", 1),
                    List.of(),
                    new EgressAuthority(TestCertificates::digest, ID, 3, List.of()),
                    (_, _, _) -> {},
                    Duration.ofMillis(200)))
        .isInstanceOf(EgressException.class)
        .hasMessageContaining("boxd gives no way out");
  }
}
