package dev.sandboxer.testing;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Vault's own core, in memory, in a process of its own, with KV version 2 at {@code kv} and a
 * policy {@code reader} that may read {@code kv/team-a/*}. It can be sealed, stopped, and killed.
 */
public final class VaultServer implements AutoCloseable {

  private static final String PROGRAM = "vault-server";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path log;
  private final int port;
  private Process process;
  private String unsealKey = "";
  private String root = "";

  public VaultServer(Path folder) throws IOException {
    this.log = folder.resolve("vault.log");
    this.port = FreePort.find();
    this.process = launch();
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** The token that may do everything. */
  public String root() {
    return root;
  }

  /** A secret's next version. */
  public void put(String path, Map<String, ?> values) {
    post("kv/data/" + path, Map.of("data", values));
  }

  public JsonNode post(String path, Map<String, ?> body) {
    try {
      HttpResponse<String> response =
          send("POST", path, BodyPublishers.ofString(json.writeValueAsString(body)));
      if (response.statusCode() >= 300) {
        throw new IllegalStateException(path + ": " + response.statusCode() + response.body());
      }
      return response.body().isEmpty() ? json.createObjectNode() : json.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The keys below a path. */
  public List<String> list(String path) {
    try {
      List<String> keys = new ArrayList<>();
      json.readTree(send("LIST", path, BodyPublishers.noBody()).body())
          .at("/data/keys")
          .forEach(key -> keys.add(key.asText()));
      return keys;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void delete(String path) {
    send("DELETE", path, BodyPublishers.noBody());
  }

  private HttpResponse<String> send(String method, String path, HttpRequest.BodyPublisher body) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url() + "/v1/" + path)).method(method, body);
      if (!root.isEmpty()) {
        request.header("X-Vault-Token", root);
      }
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A token with the policy {@code reader} and the fields of a request for one. */
  public String token(Map<String, ?> more) {
    Map<String, Object> body = new HashMap<>(Map.of("policies", List.of("reader")));
    body.putAll(more);
    return post("auth/token/create", body).at("/auth/client_token").asText();
  }

  /** A role of AppRole with the policy {@code reader}, and its id. */
  public String role(String name, Map<String, ?> more) {
    Map<String, Object> body = new HashMap<>(Map.of("policies", "reader"));
    body.putAll(more);
    post("auth/approle/role/" + name, body);
    return send("GET", "auth/approle/role/" + name + "/role-id", BodyPublishers.noBody())
        .body()
        .replaceFirst("(?s).*\"role_id\":\"([^\"]+)\".*", "$1");
  }

  public String secretId(String role) {
    return post("auth/approle/role/" + role + "/secret-id", Map.of())
        .at("/data/secret_id")
        .asText();
  }

  /** A secret id inside a token that gives it once. */
  public String wrappedSecretId(String role) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url() + "/v1/auth/approle/role/" + role + "/secret-id"))
              .header("X-Vault-Token", root)
              .header("X-Vault-Wrap-TTL", "300s")
              .POST(BodyPublishers.ofString("{}"))
              .build();
      return json.readTree(client.send(request, BodyHandlers.ofString()).body())
          .at("/wrap_info/token")
          .asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether a token is known. */
  public boolean knows(String token) {
    return send(
                "POST",
                "auth/token/lookup",
                BodyPublishers.ofString("{\"token\": \"" + token + "\"}"))
            .statusCode()
        == 200;
  }

  public void seal() {
    post("sys/seal", Map.of());
  }

  public void unseal() {
    post("sys/unseal", Map.of("key", unsealKey));
    await().atMost(PATIENCE).until(() -> knows(root));
  }

  /** It keeps its connections and answers nothing. */
  public void stop() throws IOException, InterruptedException {
    signal("STOP");
  }

  public void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    var _ = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly();
    var _ = process.waitFor();
  }

  /** A new server at the same address; what was in the old one's memory is lost. */
  public void comeBack() throws IOException {
    root = "";
    process = launch();
  }

  /** The certificate that a server with TLS writes is that file, which a store has to trust. */
  public static Process tls(int port, Path certificate) throws IOException {
    Process started =
        new ProcessBuilder(
                program(), "-listen", "127.0.0.1:" + port, "-tls", certificate.toString())
            .inheritIO()
            .start();
    await().atMost(PATIENCE).until(() -> Files.exists(certificate) || !started.isAlive());
    return started;
  }

  private Process launch() throws IOException {
    Process started =
        new ProcessBuilder(program(), "-listen", "127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    await().atMost(PATIENCE).until(() -> answers() || !started.isAlive());
    if (!started.isAlive()) {
      throw new IOException("it ended: " + Files.readString(log));
    }
    setUp();
    return started;
  }

  private boolean answers() {
    try {
      return send("GET", "sys/init", BodyPublishers.noBody()).statusCode() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private void setUp() {
    JsonNode made = post("sys/init", Map.of("secret_shares", 1, "secret_threshold", 1));
    unsealKey = made.at("/keys/0").asText();
    root = made.path("root_token").asText();
    unseal();
    post("sys/mounts/kv", Map.of("type", "kv", "options", Map.of("version", "2")));
    post("sys/auth/approle", Map.of("type", "approle"));
    post("sys/auth/kubernetes", Map.of("type", "kubernetes"));
    post(
        "sys/policy/reader",
        Map.of("policy", "path \"kv/data/team-a/*\" { capabilities = [\"read\"] }"));
    // The engine turns its storage into version 2 behind the first answer.
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                send("POST", "kv/data/ready", BodyPublishers.ofString("{\"data\": {\"a\": \"b\"}}"))
                        .statusCode()
                    == 200);
  }

  private static String program() {
    return ProgramOnPath.find(
        PROGRAM,
        "./sandboxer test builds it, or: go -C tools/vault-server build -o FOLDER/vault-server .");
  }

  @Override
  public void close() {
    client.close();
    process.destroyForcibly();
    process.onExit().join();
  }
}
