package dev.sandboxer.secrets.vault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.secret.SecretException;
import dev.sandboxer.spi.secret.SecretStore;
import dev.sandboxer.testing.NoCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server may answer that ours does not. */
class VaultStoreTest {

  private static final String TOKEN = "s.canary";
  private static final String FOUND =
      "{\"data\": {\"data\": {\"token\": \"x\"}, \"metadata\": {\"version\": 1}}}";

  @TempDir private Path folder;
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private int status = 200;
  private String body = FOUND;
  private boolean endless;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(task -> Thread.ofVirtual().start(task));
    server.createContext(
        "/v1/auth/token/lookup-self",
        exchange -> reply(exchange, 200, "{\"data\": {\"ttl\": 0, \"renewable\": false}}"));
    server.createContext(
        "/v1/kv/data/api",
        exchange -> {
          asked.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("X-Vault-Namespace"));
          exchange.getResponseHeaders().set("Location", url() + "/v1/elsewhere");
          if (endless) {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("{".getBytes(UTF_8));
            exchange.getResponseBody().flush();
            waitForTheEnd();
          } else {
            reply(exchange, status, body);
          }
        });
    server.createContext("/v1/elsewhere", exchange -> asked.add("redirected"));
    server.start();
  }

  private void waitForTheEnd() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reply(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @AfterEach
  void stop() {
    closed.countDown();
    server.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private SecretStore store(String... config) {
    try {
      Path token = Files.writeString(folder.resolve("token"), TOKEN);
      Map<String, String> values =
          new HashMap<>(Map.of("url", url(), "token_file", token.toString()));
      for (int i = 0; i < config.length; i += 2) {
        values.put(config[i], config[i + 1]);
      }
      return new VaultProvider().create(new ExtensionConfig(values));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private SecretException refused(String... config) {
    try (SecretStore store = store(config)) {
      return catchThrowableOfType(
          SecretException.class, () -> store.read("kv/api#token", new NoCall()));
    }
  }

  @Test
  void aNamespaceIsInEachRequest() throws SecretException {
    try (SecretStore store = store("namespace", "team-a/dev")) {
      assertThat(store.read("kv/api#token", new NoCall())).asString(UTF_8).isEqualTo("x");
    }
    assertThat(asked).containsExactly("/v1/kv/data/api team-a/dev");
  }

  @ParameterizedTest
  @CsvSource({
    "307, redirects (307)",
    "301, redirects (301)",
    "429, is busy",
    "400, refused the request with status 400",
    "472, refused the request with status 472",
    "500, failed with status 500",
    "502, failed with status 502",
    "503, is sealed",
  })
  void aStatusThatIsNoAnswerIsAway(int answered, String said) {
    status = answered;
    body = "{\"errors\": [\"" + TOKEN + "\"]}";
    SecretException refused = refused();
    assertThat(refused)
        .hasMessageContaining(said)
        .hasMessageNotContaining(TOKEN)
        .hasMessageNotContaining("127.0.0.1")
        .returns(true, SecretException::isAway);
    assertThat(asked).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<html>a proxy's page</html>",
        "''",
        "[]",
        "null",
        "{\"data\": null}",
        "{\"data\": {\"token\": \"of version 1\"}}",
        "{\"data\": {\"data\": {\"token\": \"x\"}}}",
      })
  void garbageIsAway(String answered) {
    body = answered;
    assertThat(refused())
        .hasMessageContaining("is no secret of a KV engine, version 2")
        .returns(true, SecretException::isAway);
  }

  @Test
  void aLongValueIsReadAndALongAnswerIsNot() throws SecretException {
    body = FOUND.replace("\"x\"", '"' + "x".repeat(1 << 20) + '"');
    try (SecretStore store = store()) {
      assertThat(store.read("kv/api#token", new NoCall())).hasSize(1 << 20);
    }
    body = FOUND.replace("\"x\"", '"' + "x".repeat(5 << 20) + '"');
    assertThat(refused()).hasMessageContaining("cannot be reached: IOException");
  }

  @Test
  void anAnswerWithoutEndIsAway() {
    endless = true;
    assertThat(refused("timeout_seconds", "1"))
        .hasMessage("the server did not answer within 1.0 s")
        .returns(true, SecretException::isAway);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url | vault.example.com | must be such as https://",
        "url | https://user@vault.example.com | must be such as https://",
        "url | http://vault.example.com:8200 | must be https:// where it is on another machine",
        "plain_http | yes | must be true or false",
        "namespace | ../a b | must be such as team-a",
        "mount | /kv | must be such as kv",
        "ca_file | ca.pem | must be an absolute path",
        "ca_file | /none.pem | must be a file of certificates",
        "timeout_seconds | 60 | must be 1 to 10",
        "auth | ldap | must be token, approle or kubernetes",
        "auth | approle | config.token_file does not go with approle",
        "role_id | x | config.role_id does not go with token",
        "token | s.x | unknown keys [token]",
      })
  void aWrongSettingIsNamed(String name, String value, String said) {
    assertThatThrownBy(() -> store(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(said);
  }

  @Test
  void aFileWithoutATokenIsAwayAndNotShown() throws IOException {
    assertThat(refused("token_file", folder.resolve("none").toString()))
        .hasMessage("a file of the login cannot be read: none");
    Path file = Files.writeString(folder.resolve("words"), "not one\nword");
    assertThat(refused("token_file", file.toString()))
        .hasMessage("a file of the login must hold one word of ASCII: words");
  }
}
