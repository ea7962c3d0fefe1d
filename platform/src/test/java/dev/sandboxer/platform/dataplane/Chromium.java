package dev.sandboxer.platform.dataplane;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A real browser without a window, driven by its own debugging protocol. */
final class Chromium implements AutoCloseable {

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private static final long PATIENCE_SECONDS = 60;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path profile;
  private final Process process;
  private final int port;

  Chromium() throws Exception {
    profile = Files.createTempDirectory("chr");
    process =
        new ProcessBuilder(
                program().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("log").toFile())
            .start();
    Path said = profile.resolve("DevToolsActivePort");
    await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(() -> Files.exists(said) && Files.readAllLines(said).size() == 2);
    port = Integer.parseInt(Files.readAllLines(said).getFirst());
  }

  private static Path program() {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the tests of browsers need one of "
                        + NAMES
                        + " on PATH; on Debian: apt-get install chromium"));
  }

  /** Opens a page in a tab of its own. */
  Tab open(String url) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
            .PUT(BodyPublishers.noBody())
            .build();
    JsonObject made = new JsonObject(http.send(request, BodyHandlers.ofString()).body());
    Tab tab = new Tab();
    tab.socket =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(made.getString("webSocketDebuggerUrl")), tab)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    tab.go(url);
    return tab;
  }

  @Override
  public void close() {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    process.destroy();
    for (ProcessHandle each : all) {
      each.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }
    // Its crash handler is nobody's child, ends a little later and may still write.
    await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(this::removed);
  }

  private boolean removed() {
    try (Stream<Path> paths = Files.walk(profile)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  /** One tab. */
  static final class Tab implements WebSocket.Listener {

    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
    private final StringBuilder text = new StringBuilder();

    @SuppressWarnings("NullAway.Init") // set by open
    private WebSocket socket;

    void go(String url) throws Exception {
      var _ = call("Page.navigate", new JsonObject().put("url", url));
    }

    JsonObject call(String method, JsonObject params) throws Exception {
      int id = ids.incrementAndGet();
      CompletableFuture<JsonObject> reply = new CompletableFuture<>();
      waiting.put(id, reply);
      String message =
          new JsonObject().put("id", id).put("method", method).put("params", params).encode();
      socket.sendText(message, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return reply.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Runs a script in the page and gives its value, or the text of what it threw. */
    String run(String script) throws Exception {
      JsonObject reply =
          call(
              "Runtime.evaluate",
              new JsonObject()
                  .put("expression", "(async () => { " + script + " })()")
                  .put("awaitPromise", true)
                  .put("returnByValue", true));
      JsonObject result = reply.getJsonObject("result");
      if (result == null) {
        throw new IOException(reply.encode());
      }
      return result.containsKey("exceptionDetails")
          ? result.getJsonObject("exceptionDetails").encode()
          : String.valueOf(result.getJsonObject("result").getValue("value"));
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        JsonObject message = new JsonObject(text.toString());
        text.setLength(0);
        CompletableFuture<JsonObject> reply =
            message.containsKey("id") ? waiting.remove(message.getInteger("id")) : null;
        if (reply != null) {
          reply.complete(message);
        }
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }
}
