package dev.sandboxer.bench.group;

import com.nimbusds.jose.util.JSONObjectUtils;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The way out: one program, run in a sandbox where it goes through the proxy, and on this machine
 * where it connects directly, in turns; in plain HTTP, which passes the proxy as it is, and in TLS,
 * which the proxy ends itself.
 */
public final class EgressGroup implements Group {

  private static final int BYTES = 100_000_000;
  private static final int ROUNDS = 5;
  private static final double MOST_MILLIS = 1;
  private static final double LEAST_MB_A_SECOND = 400;

  /**
   * Its arguments: the host's port, the proxy's, 0 for none, and whether to use TLS. Times are in
   * milliseconds.
   */
  private static final String PROGRAM =
      """
      import http.client, json, ssl, sys, time
      port, proxy, tls = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == 'true'
      options = {'context': ssl.create_default_context()} if tls else {}
      client = http.client.HTTPSConnection if tls else http.client.HTTPConnection
      def connect():
          if not proxy:
              return client('127.0.0.1', port, **options)
          tunnel = client('127.0.0.1', proxy, **options)
          tunnel.set_tunnel('localhost', port)
          return tunnel
      def get(connection):
          begin = time.perf_counter()
          connection.request('GET', '/small')
          connection.getresponse().read()
          return (time.perf_counter() - begin) * 1e3
      kept = connect()
      for _ in range(50):
          get(kept)
      requests = sorted(get(kept) for _ in range(300))
      def once():
          connection = connect()
          spent = get(connection)
          connection.close()
          return spent
      connections = sorted(once() for _ in range(100))
      large, buffer, left = connect(), bytearray(1 << 20), %d
      large.request('GET', '/large')
      reply = large.getresponse()
      begin = time.perf_counter()
      while left:
          left -= reply.readinto(buffer)
      rate = %d / 1e6 / (time.perf_counter() - begin)
      print(json.dumps({'request': requests[150], 'connection': connections[50], 'rate': rate}))
      """
          .formatted(BYTES, BYTES);

  /** What the program has measured, round by round. */
  private record Figures(Samples requests, Samples connections, Samples rates) {

    Figures() {
      this(new Samples(), new Samples(), new Samples());
    }

    void add(String json) throws IOException {
      try {
        Map<String, Object> figures = JSONObjectUtils.parse(json);
        requests.add(JSONObjectUtils.getDouble(figures, "request"));
        connections.add(JSONObjectUtils.getDouble(figures, "connection"));
        rates.add(JSONObjectUtils.getDouble(figures, "rate"));
      } catch (ParseException e) {
        throw new IOException("the program has measured nothing: " + json, e);
      }
    }
  }

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else TLS waits 40 ms for an ACK
    try (SelfSigned identity = SelfSigned.make();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      scene.stopped().set("SANDBOXER_EGRESS_ALLOW", "127.0.0.1");
      scene.stopped().set("SANDBOXER_EGRESS_CA", identity.certificate().toString());
      InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      HttpServer plain = serving(HttpServer.create(anyPort, 0), threads);
      HttpsServer tls = HttpsServer.create(anyPort, 0);
      tls.setHttpsConfigurator(new HttpsConfigurator(identity.server()));
      try {
        return rows(
            scene.platform(),
            plain.getAddress().getPort(),
            serving(tls, threads).getAddress().getPort(),
            identity);
      } finally {
        plain.stop(0);
        tls.stop(0);
      }
    }
  }

  private static HttpServer serving(HttpServer host, ExecutorService threads) {
    host.createContext("/small", exchange -> send(exchange, 100));
    host.createContext("/large", exchange -> send(exchange, BYTES));
    host.setExecutor(threads);
    host.start();
    return host;
  }

  private static void send(HttpExchange exchange, int length) throws IOException {
    byte[] part = new byte[1 << 16];
    exchange.sendResponseHeaders(200, length);
    try (OutputStream body = exchange.getResponseBody()) {
      for (int left = length; left > 0; left -= part.length) {
        body.write(part, 0, Math.min(left, part.length));
      }
    }
    exchange.close();
  }

  private static List<Row> rows(Platform platform, int plain, int tls, SelfSigned identity)
      throws Exception {
    platform.profile(
        "egress",
        """
        id: profile.egress
        version: 1
        extends: local@2
        network:
          mode: allow
          allow: [{host: localhost, ports: [%d]}, {host: localhost, ports: [%d], methods: [GET]}]
        """
            .formatted(plain, tls));
    Figures direct = new Figures();
    Figures proxied = new Figures();
    Figures directTls = new Figures();
    Figures intercepted = new Figures();
    try (Sandbox sandbox = Sandbox.create(platform.api(), "egress")) {
      Endpoint relay = sandbox.relay();
      for (int round = 0; round < ROUNDS; round++) {
        direct.add(here(plain, false, identity));
        proxied.add(inside(relay, plain, false));
        directTls.add(here(tls, true, identity));
        intercepted.add(inside(relay, tls, true));
      }
    }
    List<Row> rows = new ArrayList<>(passed(direct, proxied));
    rows.addAll(intercepted(directTls, intercepted));
    return rows;
  }

  private static List<Row> passed(Figures direct, Figures proxied) {
    Row requests =
        Row.of("egress.request.direct", "a request on a kept connection", "ms", direct.requests());
    Row connections =
        Row.of(
            "egress.connection.direct", "a new connection, a request", "ms", direct.connections());
    Row rates = Row.of("egress.100mb.direct", "100 MB", "MB/s", direct.rates());
    return List.of(
        requests,
        Row.of("egress.request", "the same through the proxy", "ms", proxied.requests())
            .over(requests),
        added("egress.request.added", "what the proxy adds", proxied.requests(), direct.requests()),
        connections,
        Row.of("egress.connection", "the same through the proxy", "ms", proxied.connections())
            .over(connections),
        added(
            "egress.connection.added",
            "what the proxy adds",
            proxied.connections(),
            direct.connections()),
        rates,
        Row.of("egress.100mb", "the same through the proxy", "MB/s", proxied.rates())
            .over(rates)
            .within(Goal.atLeast(LEAST_MB_A_SECOND)));
  }

  /** Two sessions of TLS in the place of one. */
  private static List<Row> intercepted(Figures direct, Figures proxied) {
    Row requests =
        Row.of("egress.tls.request.direct", "a request on kept TLS", "ms", direct.requests());
    Row connections =
        Row.of("egress.tls.connection.direct", "a new TLS, a request", "ms", direct.connections());
    Row rates = Row.of("egress.tls.100mb.direct", "100 MB in TLS", "MB/s", direct.rates());
    String title = "the same, ended by the proxy";
    return List.of(
        requests,
        Row.of("egress.tls.request", title, "ms", proxied.requests()).over(requests),
        connections,
        Row.of("egress.tls.connection", title, "ms", proxied.connections()).over(connections),
        rates,
        Row.of("egress.tls.100mb", title, "MB/s", proxied.rates()).over(rates));
  }

  private static Row added(String id, String title, Samples proxied, Samples direct) {
    return Row.single(id, title, "ms", proxied.p50() - direct.p50())
        .within(Goal.atMost(MOST_MILLIS));
  }

  private static String here(int port, boolean tls, SelfSigned identity)
      throws IOException, InterruptedException {
    ProcessBuilder python =
        new ProcessBuilder("python3", "-c", PROGRAM, String.valueOf(port), "0", String.valueOf(tls))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    python.environment().put("SSL_CERT_FILE", identity.certificate().toString());
    Process process = python.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("python3 on this machine ended with " + process.exitValue());
    }
    return said;
  }

  private static String inside(Endpoint relay, int port, boolean tls) throws IOException {
    String command =
        JSONObjectUtils.toJSONString(
            Map.of(
                "command",
                List.of(
                    "python3", "-c", PROGRAM, String.valueOf(port), "3128", String.valueOf(tls)),
                "timeout_ms",
                120_000));
    try (Connection connection = relay.connect()) {
      return connection.call(relay.post("/exec", command)).require(200).field("stdout");
    }
  }
}
