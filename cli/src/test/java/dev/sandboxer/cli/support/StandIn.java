package dev.sandboxer.cli.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * The platform's public surface in the contract's shapes, over real HTTP and WebSockets: one
 * sandbox whose commands are processes of this machine in a temporary folder. Single replies can be
 * put in front of it.
 */
public final class StandIn implements AutoCloseable {
  public static final String ID = "sb_a23456789012345678b0";
  public static final String KEY = "sbxk_00ff";
  public static final String TOKEN = "token-of-this-sandbox";

  /** Opened when the first command runs. */
  public final CountDownLatch commandStarted = new CountDownLatch(1);

  /** Opened when the first create arrives. */
  public final CountDownLatch createArrived = new CountDownLatch(1);

  public final List<String> calls = new CopyOnWriteArrayList<>();
  public final List<String> queries = new CopyOnWriteArrayList<>();
  public final List<String> idempotencyKeys = new CopyOnWriteArrayList<>();
  public final List<String> keys = new CopyOnWriteArrayList<>();
  public final List<JsonObject> bodies = new CopyOnWriteArrayList<>();

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final Path workspace;
  private final Map<String, List<Reply>> planned = new ConcurrentHashMap<>();
  private volatile String state = "ready";
  private volatile JsonArray conditions = new JsonArray();

  /** What a planned reply does with a request. */
  public interface Reply {
    void to(HttpServerRequest request);
  }

  public StandIn() throws IOException {
    workspace = Files.createTempDirectory("standin");
    server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setWebSocketSubProtocols(List.of("sandboxer.v1.binary"))
                    .setRegisterWebSocketWriteHandlers(false))
            .requestHandler(this::handle)
            .webSocketHandler(
                socket -> StandInCommand.serve(vertx, socket, workspace, commandStarted))
            .webSocketHandshakeHandler(
                handshake -> {
                  boolean known =
                      ("Bearer " + TOKEN).equals(handshake.headers().get("Authorization"));
                  var _ = known ? handshake.accept() : handshake.reject(401);
                })
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  public String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  public Path workspace() {
    return workspace;
  }

  /** The record says that these limits are not enforced. */
  public void notEnforced(String... limits) {
    conditions =
        new JsonArray()
            .add(
                new JsonObject()
                    .put("type", "not_enforced")
                    .put("detail", new JsonArray(List.of(limits))));
  }

  /** The state that the sandbox is in until it is destroyed. */
  public void state(String now) {
    state = now;
  }

  /**
   * The next call of {@code POST /v1/sandboxes} or the like is answered by {@code reply}; several
   * wait in a queue.
   */
  public StandIn next(String call, Reply reply) {
    planned.computeIfAbsent(call, key -> new CopyOnWriteArrayList<>()).add(reply);
    return this;
  }

  public static Reply problem(int status, String code, String message, JsonObject more) {
    JsonObject error =
        new JsonObject()
            .put("code", code)
            .put("message", message)
            .put("retryable", false)
            .put("request_id", "req_7");
    JsonObject body =
        new JsonObject()
            .put("title", code)
            .put("status", status)
            .put("detail", message)
            .put("error", error)
            .mergeIn(more);
    return request -> respond(request, status, body);
  }

  public static Reply text(int status, String body) {
    return request -> request.response().setStatusCode(status).end(body);
  }

  /** Adds what the call sends to a list, and answers. */
  public static Reply recording(List<JsonObject> sent, int status, String body) {
    return request ->
        request
            .body()
            .onSuccess(
                all -> {
                  sent.add(all.toJsonObject());
                  request.response().setStatusCode(status).end(body);
                });
  }

  /** The connection breaks without an answer. */
  public static Reply lost() {
    return request -> request.connection().close();
  }

  /** No answer ever comes. */
  public static Reply silent() {
    return request -> {};
  }

  public long count(Predicate<String> call) {
    return calls.stream().filter(call).count();
  }

  private void handle(HttpServerRequest request) {
    String call = request.method() + " " + request.path();
    calls.add(call);
    queries.add(String.valueOf(request.query()));
    keys.add(String.valueOf(request.getHeader("Authorization")));
    if (call.equals("POST /v1/sandboxes")) {
      idempotencyKeys.add(String.valueOf(request.getHeader("Idempotency-Key")));
      createArrived.countDown();
    }
    List<Reply> queue = planned.get(call);
    if (queue != null && !queue.isEmpty()) {
      queue.removeFirst().to(request);
      return;
    }
    route(request, call);
  }

  private void route(HttpServerRequest request, String call) {
    String sandbox = "/v1/sandboxes/" + ID;
    switch (call) {
      case "POST /v1/sandboxes" -> request.body().onSuccess(body -> created(request, body));
      case "GET /v1/sandboxes" ->
          respond(
              request,
              200,
              new JsonObject().put("items", listed(request)).put("next_cursor", null));
      case "GET /v1/health/ready" -> respond(request, 200, new JsonObject().put("status", "UP"));
      case "GET /v1/extensions" -> respond(request, 200, extensions());
      default -> {
        if (call.equals("GET " + sandbox)) {
          respond(request, 200, record());
        } else if (call.equals("DELETE " + sandbox)) {
          state = "destroyed";
          respond(request, 202, record());
        } else if (call.equals("GET " + sandbox + "/access")) {
          respond(request, 200, access());
        } else if (call.endsWith("/files/upload")) {
          StandInFiles.upload(vertx, request, workspace);
        } else if (call.endsWith("/files/download")) {
          StandInFiles.download(vertx, request, workspace);
        } else {
          problem(404, "NOT_FOUND", "there is no " + call, new JsonObject()).to(request);
        }
      }
    }
  }

  private void created(HttpServerRequest request, Buffer body) {
    bodies.add(body.toJsonObject());
    state = state.equals("destroyed") ? "ready" : state;
    respond(request, state.equals("ready") ? 201 : 202, record());
  }

  private static JsonObject extensions() {
    return new JsonObject()
        .put(
            "items",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("id", "ext.nsjail")
                        .put("version", "1")
                        .put("state", "loaded"))
                .add(
                    new JsonObject()
                        .put("id", "ext.bad")
                        .put("version", "1")
                        .put("state", "failed")
                        .put("reason", "wants api_version 9")))
        .put("next_cursor", null);
  }

  /** With {@code live=true} a destroyed sandbox is not listed, as on the platform. */
  private JsonArray listed(HttpServerRequest request) {
    boolean left = "true".equals(request.getParam("live")) && state.equals("destroyed");
    return left ? new JsonArray() : new JsonArray().add(record());
  }

  private JsonObject record() {
    return new JsonObject()
        .put("id", ID)
        .put("state", state)
        .put("profile_id", "profile.local")
        .put("extension_id", "ext.nsjail")
        .put("consumer", new JsonObject().put("project", "cli\u001b[31m"))
        .put("conditions", conditions)
        .put("created_at", "2026-01-01T00:00:00.000Z")
        .put("ready_at", "2026-01-01T00:00:00.028Z");
  }

  private JsonObject access() {
    String base = "127.0.0.1:" + server.actualPort() + "/dp/" + ID + "/v1";
    return new JsonObject()
        .put("sandbox_id", ID)
        .put("http_base_url", "http://" + base)
        .put("ws_base_url", "ws://" + base)
        .put("token", TOKEN)
        .put("expires_at", "2100-01-01T00:00:00Z");
  }

  static void respond(HttpServerRequest request, int status, JsonObject body) {
    HttpServerResponse response =
        request.response().setStatusCode(status).putHeader("Content-Type", "application/json");
    var _ = response.end(body.encode());
  }

  @Override
  public void close() throws IOException {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    List<Path> paths = new ArrayList<>();
    try (var walk = Files.walk(workspace)) {
      walk.forEach(paths::addFirst);
    }
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }
}
