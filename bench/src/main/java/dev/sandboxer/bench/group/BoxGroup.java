package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Boxes: the request for a living one beside the get of a live session, and the first command in a
 * new one beside a create, a token and a command; and copied folders beside files.
 */
public final class BoxGroup implements Group {

  private static final String SESSIONS = "/v1/sandbox/sessions";
  private static final String SESSION = "{\"thread_id\": \"thr_box_bench\", \"mode\": \"%s\"}";
  private static final String BOXES = "/v1/boxes";
  private static final String BOX =
      """
      {"variables": {"launcher_type": "group", "launcher_id": "%s"}, "profile": "local"}""";
  private static final String WAIT = "Prefer: wait=30";
  private static final Interleaving REQUESTS = new Interleaving(Duration.ofSeconds(6), 20, 100);
  private static final Interleaving COMMANDS = new Interleaving(Duration.ZERO, 100, 1);
  private static final int WARM_UP = 60;
  private static final double MOST_TIMES = 1.2;

  private int chats;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    try (CopiedFolders folders = CopiedFolders.grantedTo(scene.stopped())) {
      Platform platform = scene.platform();
      List<Row> rows = new ArrayList<>();
      try (Connection connection = platform.api().connect()) {
        rows.addAll(living(connection, platform.api()));
        rows.addAll(first(connection, platform.api()));
      }
      rows.addAll(folders.rows(platform));
      return rows;
    }
  }

  private List<Row> living(Connection connection, Endpoint api) throws Exception {
    String session =
        connection
            .call(api.post(SESSIONS, SESSION.formatted("ensure")))
            .require(200)
            .field("session_id");
    String box = ensure(connection, api).field("id");
    ByteBuffer get = api.post(SESSIONS, SESSION.formatted("get"));
    ByteBuffer again = api.post(BOXES, BOX.formatted(chats));
    Lane gets = new Lane("get", () -> connection.call(get).require(200));
    Lane ensures = new Lane("box", () -> connection.call(again).require(200));
    REQUESTS.measure(List.of(gets, ensures));
    var _ = connection.call(api.delete(SESSIONS + "/" + session)).require(204);
    var _ = connection.call(api.delete(BOXES + "/" + box)).require(204);
    Row floor = Row.of("box.session", "get of a live session, with a token", "ms", gets.samples());
    return List.of(
        floor,
        Row.of("box.living", "request for a living box", "ms", ensures.samples()).over(floor),
        Row.single(
                "box.living.ratio",
                "a living box beside a session's get",
                "times",
                ensures.samples().p50() / gets.samples().p50())
            .within(Goal.atMost(MOST_TIMES)));
  }

  private List<Row> first(Connection connection, Endpoint api) throws Exception {
    Deque<String> made = new ArrayDeque<>();
    ByteBuffer creation = Sandbox.creation(api);
    for (int i = 0; i < WARM_UP; i++) {
      made.add(plain(connection, api, creation));
      made.add(boxed(connection, api));
      Sandbox.destroy(connection, api, made.remove());
      Sandbox.destroy(connection, api, made.remove());
    }
    Lane plain = new Lane("create", () -> made.add(plain(connection, api, creation)));
    Lane gone = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
    Lane boxed = new Lane("box", () -> made.add(boxed(connection, api)));
    Lane goneToo = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
    COMMANDS.measure(List.of(plain, gone, boxed, goneToo));
    Row floor =
        Row.of("box.first.plain", "create to ready, token, first command", "ms", plain.samples());
    return List.of(
        floor,
        Row.of("box.first", "new box, first command", "ms", boxed.samples()).over(floor),
        Row.single(
                "box.first.ratio",
                "first command of a new box beside a plain one",
                "times",
                boxed.samples().p50() / plain.samples().p50())
            .within(Goal.atMost(MOST_TIMES)));
  }

  private static String plain(Connection connection, Endpoint api, ByteBuffer creation)
      throws IOException {
    String id = Sandbox.create(connection, creation);
    Reply grant = connection.call(api.get("/v1/sandboxes/" + id + "/access")).require(200);
    Endpoint relay = Endpoint.tcp(URI.create(grant.field("http_base_url")), grant.field("token"));
    try (Connection inside = relay.connect()) {
      var _ = inside.call(relay.post("/exec", Sandbox.TRUE)).require(200);
    }
    return id;
  }

  /** Its sandbox, which a delete of the sandbox alone would leave to be made again. */
  private String boxed(Connection connection, Endpoint api) throws IOException {
    Reply box = ensure(connection, api);
    var _ =
        connection
            .call(api.post(BOXES + "/" + box.field("id") + "/exec", Sandbox.TRUE))
            .require(200);
    return box.field("sandbox_id");
  }

  private Reply ensure(Connection connection, Endpoint api) throws IOException {
    chats++;
    return connection.call(api.post(BOXES, BOX.formatted(chats), WAIT)).require(201);
  }
}
