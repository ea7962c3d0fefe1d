package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.WebSocket;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** WebSockets: a command's output, a terminal's echo, and many that nobody uses. */
public final class WebSocketGroup implements Group {

  private static final long BYTES = 100_000_000;
  private static final int ROUNDS = 9;
  private static final int WARM_UP = 2;
  private static final double GOAL_MB_PER_SECOND = 350;
  private static final Interleaving ECHO = new Interleaving(Duration.ofSeconds(3), 40, 100);
  private static final double GOAL_ECHO_MILLIS = 0.25;
  private static final int SANDBOXES = 8;
  private static final int SOCKETS_EACH = 125;
  private static final int WARM_SOCKETS = 100;
  private static final double GOAL_IDLE_MEGABYTES = 50;
  private static final int SMALL_BUFFER = 4096;

  private static final String OUTPUT =
      "{\"type\":\"start\",\"command\":[\"head\",\"-c\",\"" + BYTES + "\",\"/dev/zero\"]}";
  private static final String TERMINAL =
      "{\"type\":\"start\",\"command\":[\"sh\",\"-c\",\"stty -icanon; echo go; exec cat >/dev/null\"],"
          + "\"tty\":{\"cols\":80,\"rows\":24}}";
  private static final String IDLE = "{\"process_id\":\"idle\",\"command\":[\"sleep\",\"3600\"]}";

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint bare = scene.boxd().all();
    List<Row> rows = new ArrayList<>();
    try (Sandbox sandbox = scene.platform().sandbox()) {
      Endpoint relay = sandbox.relay();
      rows.addAll(output(bare, relay));
      rows.addAll(echo(bare, relay));
    }
    rows.add(idle(scene.platform()));
    return rows;
  }

  private static List<Row> output(Endpoint bare, Endpoint relay) throws IOException {
    Samples direct = new Samples();
    Samples relayed = new Samples();
    for (int round = 0; round < WARM_UP + ROUNDS; round++) {
      double first = output(bare);
      double second = output(relay);
      if (round >= WARM_UP) {
        direct.add(first);
        relayed.add(second);
      }
    }
    String title = "100 MB of stdout on a WebSocket, ";
    Row floor = Row.of("ws.100mb.bare", title + "bare Unix socket", "MB/s", direct);
    Row through = Row.of("ws.100mb", title + "relay", "MB/s", relayed);
    return List.of(floor, through.over(floor).within(Goal.atLeast(GOAL_MB_PER_SECOND)));
  }

  private static double output(Endpoint endpoint) throws IOException {
    try (WebSocket socket = WebSocket.open(endpoint, "/exec/ws")) {
      long begin = System.nanoTime();
      socket.text(OUTPUT);
      long got = 0;
      while (got < BYTES) {
        if (socket.next() == WebSocket.BINARY) {
          got += socket.left() - 1;
        }
      }
      socket.await("\"exit\"");
      return BYTES * 1e3 / (System.nanoTime() - begin);
    }
  }

  private static List<Row> echo(Endpoint bare, Endpoint relay) throws Exception {
    try (WebSocket direct = terminal(bare);
        WebSocket relayed = terminal(relay)) {
      Lane first = new Lane("bare Unix socket", () -> echo(direct));
      Lane second = new Lane("relay", () -> echo(relayed));
      ECHO.measure(List.of(first, second));
      Row floor = echoRow("ws.echo.bare", first);
      return List.of(
          floor, echoRow("ws.echo", second).over(floor).within(Goal.atMost(GOAL_ECHO_MILLIS)));
    }
  }

  private static Row echoRow(String id, Lane lane) {
    return Row.of(id, "echo of a key in a terminal, " + lane.name(), "ms", lane.samples());
  }

  private static WebSocket terminal(Endpoint endpoint) throws IOException {
    WebSocket socket = WebSocket.open(endpoint, "/shell/ws");
    socket.text(TERMINAL);
    socket.await("go");
    return socket;
  }

  private static void echo(WebSocket socket) throws IOException {
    socket.input((byte) 'x');
    while (socket.next() != WebSocket.BINARY) {
      // Something else was said.
    }
  }

  private static Row idle(Platform platform) throws Exception {
    List<Sandbox> sandboxes = new ArrayList<>();
    List<WebSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < SANDBOXES; i++) {
        sandboxes.add(sleeping(platform));
      }
      attach(sandboxes.getFirst(), WARM_SOCKETS, sockets);
      close(sockets);
      long before = platform.residentBytes();
      for (Sandbox sandbox : sandboxes) {
        attach(sandbox, SOCKETS_EACH, sockets);
      }
      double more = (platform.residentBytes() - before) / 1e6;
      String title = SANDBOXES * SOCKETS_EACH + " idle attached WebSockets, in the platform's JVM";
      return Row.single("ws.idle", title, "MB", more).within(Goal.atMost(GOAL_IDLE_MEGABYTES));
    } finally {
      close(sockets);
      for (Sandbox sandbox : sandboxes) {
        sandbox.close();
      }
    }
  }

  private static Sandbox sleeping(Platform platform) throws IOException {
    Sandbox sandbox = platform.sandbox();
    Endpoint relay = sandbox.relay();
    try (Connection connection = relay.connect()) {
      int status = connection.call(relay.post("/processes", IDLE)).status();
      if (status / 100 != 2) {
        throw new IOException("starting a process was answered with " + status);
      }
    }
    return sandbox;
  }

  private static void attach(Sandbox sandbox, int count, List<WebSocket> sockets)
      throws IOException {
    Endpoint relay = sandbox.relay();
    for (int i = 0; i < count; i++) {
      WebSocket socket = WebSocket.open(relay, "/processes/idle/attach", SMALL_BUFFER);
      sockets.add(socket);
      socket.await("ready");
    }
  }

  private static void close(List<WebSocket> sockets) throws IOException {
    for (WebSocket socket : sockets) {
      socket.close();
    }
    sockets.clear();
  }
}
