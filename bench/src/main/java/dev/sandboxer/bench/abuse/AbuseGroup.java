package dev.sandboxer.bench.abuse;

import dev.sandboxer.bench.group.Group;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * What a well-behaved client sees while others at its own address send half bodies, half heads and
 * forged tokens, each against a platform that was just started, with its default heap.
 */
public final class AbuseGroup implements Group {

  private static final int UNKNOWN = 2_000;
  private static final int KNOWN = 500;
  private static final int HEADS = 4_000;
  private static final int DECLARED = 1_000_000;
  private static final int SENT = 990_000;
  private static final Duration QUIET = Duration.ofSeconds(5);
  private static final Duration HELD = Duration.ofSeconds(8);
  private static final Duration BETWEEN_TOKENS = Duration.ofMillis(10);
  private static final double GOAL_MILLIS = 100;
  private static final double GOAL_MEGABYTES = 100;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Platform platform = fresh(scene);
    List<Row> rows = new ArrayList<>();
    try (Sandbox sandbox = platform.sandbox()) {
      Endpoint api = platform.api();
      Callable<?> get = Visitor.request(api, api.get("/v1/sandboxes/" + sandbox.id()));
      rows.add(Row.of("abuse.quiet", "get, alone", "ms", Visitor.beside(get, () -> pause(QUIET))));
      String body = "Content-Type: application/json\r\nContent-Length: " + DECLARED + "\r\n\r\n";
      String post = "POST /v1/sandboxes HTTP/1.1\r\nHost: " + api.host() + "\r\n";
      String key = "Authorization: Bearer " + api.token() + "\r\n";
      rows.addAll(
          crowd(platform, get, "bodies", UNKNOWN + " half bodies, no key", UNKNOWN, post + body));
      rows.addAll(
          crowd(platform, get, "known", KNOWN + " half bodies, a key", KNOWN, post + key + body));
      rows.addAll(crowd(platform, get, "heads", HEADS + " half heads", HEADS, post));
      rows.addAll(tokens(sandbox));
    }
    rows.addAll(Neighbours.measure(platform));
    return rows;
  }

  private static Platform fresh(Scene scene) throws IOException {
    var _ = scene.stopped();
    return scene.platform();
  }

  private static List<Row> crowd(
      Platform platform, Callable<?> visit, String id, String title, int connections, String head)
      throws Exception {
    long before = platform.residentBytes();
    long[] held = new long[1];
    Samples millis;
    try (Crowd crowd = new Crowd(platform.api().address())) {
      millis =
          Visitor.beside(
              visit,
              () -> {
                crowd.send(connections, direct(head), head.contains("Length") ? SENT : 0);
                pause(HELD);
                held[0] = platform.residentBytes();
              });
    }
    Row more =
        Row.single(
            "abuse." + id + ".rss", "memory more beside " + title, "MB", (held[0] - before) / 1e6);
    List<Row> rows = new ArrayList<>(rows(id, "get beside " + title, millis));
    rows.add(more.within(Goal.atMost(GOAL_MEGABYTES)));
    return rows;
  }

  /** Each visit has a token made for it, and uses it. */
  private static List<Row> tokens(Sandbox sandbox) throws Exception {
    Endpoint relay = sandbox.relay();
    Samples millis =
        Visitor.beside(
            () -> {
              Endpoint fresh = sandbox.relay();
              return Visitor.request(fresh, fresh.get("/health")).call();
            },
            () -> forge(relay));
    return rows("tokens", "a fresh token and its use beside forged ones", millis);
  }

  private static void forge(Endpoint relay) throws IOException {
    String forged = relay.token().replaceFirst("\\.", ".e30");
    Endpoint bad = new Endpoint(relay.address(), relay.host(), relay.base(), forged);
    ByteBuffer request = bad.get("/health");
    try (Connection connection = relay.connect()) {
      for (long end = System.nanoTime() + HELD.toNanos(); System.nanoTime() < end; ) {
        if (connection.call(request).status() == 200) {
          throw new IOException("a forged token was taken");
        }
        pause(BETWEEN_TOKENS);
      }
    }
  }

  private static List<Row> rows(String id, String title, Samples millis) {
    return List.of(
        Row.of("abuse." + id, title, "ms", millis),
        Row.single("abuse." + id + ".p99", title + ", p99", "ms", millis.percentile(99))
            .within(Goal.atMost(GOAL_MILLIS)));
  }

  private static void pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
