package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The programs on the pages for authors of clients work as they stand there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientsPageTest {

  static final String PAGE = "docs/clients.md";
  static final String LIBRARY = "docs/java-client.md";
  private static final Pattern PROGRAM =
      Pattern.compile(
          "^```(?:python|java|html)\\n(?<code>\\W+(?<name>[A-Za-z.]+)\\b.*?)^```$",
          Pattern.MULTILINE | Pattern.DOTALL);

  /** Holds the page as it stands and tells what it shows once its WebSocket is closed. */
  private static final String ONLOOKER =
      """
      <iframe id="page"></iframe>
      <script>
        page.src = "/page.html" + location.hash;
        let called = "";
        const [base, token] = decodeURIComponent(location.hash.slice(1)).split(" ");
        fetch(base.replace("ws:", "http:") + "/exec", {
          method: "POST",
          headers: {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
          body: JSON.stringify({command: "echo fetch''ed"})
        }).then(async reply => { called = await reply.text() + reply.headers.get("X-Request-Id"); },
                failed => { called = String(failed); });
        const look = setInterval(() => {
          if (page.contentDocument.title !== "closed" || !called) return;
          clearInterval(look);
          const body = page.contentDocument.getElementById("screen").textContent;
          fetch("/seen", {method: "POST", body: body + called});
        }, 50);
      </script>
      """;

  @TempDir private Path folder;

  private HttpServer server;
  private Platform platform;

  @BeforeAll
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    platform = Platform.start(Map.of("SANDBOXER_CORS_ORIGINS", origin()));
  }

  @AfterAll
  void stop() {
    platform.close();
    server.stop(0);
  }

  /** Where the browser finds its page. */
  private String origin() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Test
  void curlPythonAndJava() throws IOException, InterruptedException {
    writePrograms(PAGE);
    assertThat(folder.resolve("client.py")).exists();
    assertThat(folder.resolve("Client.java")).exists();
    try (PageReader reader = new PageReader(folder, platform)) {
      reader.follow(PAGE);
    }
  }

  @Test
  void theJavaLibrary() throws IOException, InterruptedException {
    writePrograms(LIBRARY);
    assertThat(folder.resolve("Example.java")).exists();
    try (PageReader reader = new PageReader(folder, platform)) {
      reader.follow(LIBRARY);
    }
  }

  @Test
  void theBrowsersPage() throws IOException, InterruptedException {
    writePrograms(PAGE);
    CompletableFuture<String> seen = new CompletableFuture<>();
    serve("/page.html", Files.readString(folder.resolve("page.html")));
    serve("/", ONLOOKER);
    server.createContext("/seen", exchange -> seen.complete(read(exchange)));
    String id = platform.api().ready().path("id").asText();
    Api.Reply access = platform.api().get("/v1/sandboxes/" + id + "/access");
    String behind = access.field("/ws_base_url") + "%20" + access.field("/token");
    Process chromium = chromium(origin() + "/#" + behind);
    try {
      await().atMost(Duration.ofMinutes(3)).until(seen::isDone);
      assertThat(seen.join())
          .contains("24 80")
          .contains("exit code 4")
          .contains("fetched")
          .contains("req_");
    } finally {
      List<ProcessHandle> all = chromium.descendants().toList();
      chromium.destroy();
      assertThat(chromium.waitFor()).isNotNegative();
      all.forEach(process -> process.onExit().join());
    }
  }

  private void serve(String path, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    server.createContext(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          exchange.sendResponseHeaders(200, bytes.length);
          try (var body = exchange.getResponseBody()) {
            body.write(bytes);
          }
        });
  }

  private static String read(HttpExchange exchange) throws IOException {
    String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
    return text;
  }

  private Process chromium(String url) throws IOException {
    return new ProcessBuilder(
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--user-data-dir=" + folder.resolve("chromium"),
            url)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("chromium.log").toFile())
        .start();
  }

  private void writePrograms(String page) throws IOException {
    Matcher found = PROGRAM.matcher(Files.readString(Guide.CHECKOUT.resolve(page)));
    while (found.find()) {
      Files.writeString(folder.resolve(found.group("name")), found.group("code"));
    }
  }
}
