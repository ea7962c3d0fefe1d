package dev.sandboxer.secrets.vault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.secret.SecretException;
import dev.sandboxer.spi.secret.SecretStore;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.NoCall;
import dev.sandboxer.testing.VaultServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Against Vault's own core. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VaultStoreIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private static Path folder;

  private VaultServer server;

  @BeforeAll
  void start() throws IOException {
    server = new VaultServer(folder);
    server.put("team-a/api", Map.of("token", "first", "value", "usual", "port", 8080));
    server.put("team-b/api", Map.of("token", "another team's"));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private SecretStore store(String... config) {
    Map<String, String> values = new HashMap<>(Map.of("url", server.url()));
    for (int i = 0; i < config.length; i += 2) {
      values.put(config[i], config[i + 1]);
    }
    return new VaultProvider().create(new ExtensionConfig(values));
  }

  private SecretStore withToken() throws IOException {
    return store("token_file", file("token", server.token(Map.of())));
  }

  private static String file(String name, String text) throws IOException {
    Path file = folder.resolve(name + "-" + System.nanoTime());
    return Files.writeString(file, text + "\n").toString();
  }

  private static String read(SecretStore store, String path) throws SecretException {
    return new String(store.read(path, new NoCall()), UTF_8);
  }

  private static SecretException refused(SecretStore store, String path) {
    return catchThrowableOfType(SecretException.class, () -> read(store, path));
  }

  private static void missing(SecretStore store, String path, String said) {
    assertThat(refused(store, path))
        .hasMessageContaining(said)
        .returns(false, SecretException::isAway);
  }

  @Test
  void aValueIsTheLatestVersionsAndItsKeyTheUsualOneIfNoneIsNamed() throws Exception {
    try (SecretStore store = withToken()) {
      store.check(new NoCall());
      assertThat(read(store, "kv/team-a/api")).isEqualTo("usual");
      assertThat(read(store, "kv/team-a/api#port")).isEqualTo("8080");
      server.put("team-a/changed", Map.of("token", "old"));
      assertThat(read(store, "kv/team-a/changed#token")).isEqualTo("old");
      server.put("team-a/changed", Map.of("token", "new"));
      assertThat(read(store, "kv/team-a/changed#token")).isEqualTo("new");
    }
    try (SecretStore store =
        store("token_file", file("token", server.token(Map.of())), "mount", "kv")) {
      assertThat(read(store, "team-a/api#token")).isEqualTo("first");
    }
  }

  @Test
  void whatIsMissingIsSaidAsSuch() throws Exception {
    try (SecretStore store = withToken()) {
      missing(store, "kv/team-a/none", "there is no secret 'kv/team-a/none'");
      missing(store, "kv/team-a/api#other", "'kv/team-a/api' has no key 'other'");
      missing(store, "kv/team-b/api#token", "does not permit to read 'kv/team-b/api'");
      missing(store, "none/team-a/api", "does not permit to read 'none/team-a/api'");
      missing(store, "api", "'api' must be MOUNT/PATH#KEY");
      server.put("team-a/deep", Map.of("token", Map.of("a", "b")));
      missing(store, "kv/team-a/deep#token", "is no text");
      server.put("team-a/gone", Map.of("token", "x"));
      server.delete("kv/data/team-a/gone");
      missing(store, "kv/team-a/gone#token", "the latest version of 'kv/team-a/gone' was deleted");
      server.post("kv/destroy/team-a/gone", Map.of("versions", new int[] {1}));
      missing(store, "kv/team-a/gone#token", "was destroyed");
    }
  }

  @Test
  void aTokenIsRenewedBeforeItsEnd() throws Exception {
    String token = server.token(Map.of("ttl", "3s", "renewable", true));
    String other = server.token(Map.of("ttl", "3s", "renewable", true));
    try (SecretStore store = store("token_file", file("token", token))) {
      await().atMost(PATIENCE).until(() -> !server.knows(other));
      assertThat(server.knows(token)).isTrue();
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
    assertThat(server.knows(token)).isTrue(); // it is not ours
  }

  @Test
  void aRevokedTokenIsReplacedByThatOfTheFile() throws Exception {
    String token = server.token(Map.of());
    Path file = Path.of(file("token", token));
    try (SecretStore store = store("token_file", file.toString())) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
      server.post("auth/token/revoke", Map.of("token", token));
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessageContaining("does not know the platform's token")
          .hasMessageNotContaining(token)
          .returns(true, SecretException::isAway);
      assertThat(catchThrowableOfType(SecretException.class, () -> store.check(new NoCall())))
          .hasMessageContaining("does not know the platform's token");
      Files.writeString(file, server.token(Map.of()));
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
  }

  @Test
  void anAppRoleLogsInAgain() throws Exception {
    String role = server.role("short", Map.of("token_ttl", "2s", "token_max_ttl", "2s"));
    String secretId = server.secretId("short");
    try (SecretStore store =
        store("auth", "approle", "role_id", role, "secret_id_file", file("id", secretId))) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
      String other = server.token(Map.of("ttl", "4s"));
      await().atMost(PATIENCE).until(() -> !server.knows(other));
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
    try (SecretStore store =
        store("auth", "approle", "role_id", "wrong", "secret_id_file", file("id", secretId))) {
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessageContaining(
              "the server refuses the platform's login (auth/approle, status 400)")
          .hasMessageNotContaining(secretId)
          .returns(true, SecretException::isAway);
    }
  }

  /** Its time would last beyond the test. */
  @Test
  void aTokenOfALoginIsGivenBack() throws Exception {
    String role = server.role("long", Map.of("token_ttl", "1h"));
    String secretId = server.secretId("long");
    List<String> before = accessors();
    List<String> ours = new ArrayList<>();
    try (SecretStore store =
        store("auth", "approle", "role_id", role, "secret_id_file", file("id", secretId))) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
      ours.addAll(accessors());
      ours.removeAll(before);
      assertThat(ours).hasSize(1);
    }
    await().atMost(PATIENCE).until(() -> !accessors().containsAll(ours));
  }

  /** What names the tokens that there are. */
  private List<String> accessors() {
    return server.list("auth/token/accessors");
  }

  @Test
  void aWrappedSecretIdIsUnwrappedOnce() throws Exception {
    String role = server.role("wrapped", Map.of("token_ttl", "2s", "token_max_ttl", "2s"));
    String wrapped = file("wrapped", server.wrappedSecretId("wrapped"));
    String[] config = {"auth", "approle", "role_id", role, "wrapped_secret_id_file", wrapped};
    try (SecretStore store = store(config)) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
      String other = server.token(Map.of("ttl", "4s"));
      await().atMost(PATIENCE).until(() -> !server.knows(other));
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
    try (SecretStore store = store(config)) {
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessageContaining("was unwrapped before")
          .returns(true, SecretException::isAway);
      Files.writeString(Path.of(wrapped), server.wrappedSecretId("wrapped"));
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
  }

  @Test
  void aServiceAccountLogsIn() throws Exception {
    HttpServer reviews =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    reviews.createContext(
        "/apis/authentication.k8s.io/v1/tokenreviews",
        exchange -> {
          byte[] reply =
              """
              {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": {
               "authenticated": true, "user": {"username": "system:serviceaccount:prod:sandboxer",
               "uid": "uid-1", "groups": ["system:serviceaccounts"]}}}
              """
                  .getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(201, reply.length);
          exchange.getResponseBody().write(reply);
          exchange.close();
        });
    reviews.start();
    String account =
        """
        {"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:prod:sandboxer",
         "kubernetes.io/serviceaccount/namespace": "prod",
         "kubernetes.io/serviceaccount/secret.name": "sandboxer-token",
         "kubernetes.io/serviceaccount/service-account.name": "sandboxer",
         "kubernetes.io/serviceaccount/service-account.uid": "uid-1"}
        """;
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    String jwt =
        String.join(
            ".",
            base64.encodeToString("{\"alg\":\"RS256\",\"typ\":\"JWT\"}".getBytes(UTF_8)),
            base64.encodeToString(account.getBytes(UTF_8)),
            base64.encodeToString(new byte[256]));
    server.post(
        "auth/kubernetes/config",
        Map.of(
            "kubernetes_host",
            "http://127.0.0.1:" + reviews.getAddress().getPort(),
            "kubernetes_ca_cert",
            "unused",
            "token_reviewer_jwt",
            jwt));
    server.post(
        "auth/kubernetes/role/platform",
        Map.of(
            "bound_service_account_names", "sandboxer",
            "bound_service_account_namespaces", "prod",
            "policies", "reader"));
    try (SecretStore store =
        store("auth", "kubernetes", "role", "platform", "jwt_file", file("jwt", jwt))) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("first");
    }
    try (SecretStore store =
        store("auth", "kubernetes", "role", "other", "jwt_file", file("jwt", jwt))) {
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessageContaining("refuses the platform's login (auth/kubernetes")
          .hasMessageNotContaining(jwt);
    }
    reviews.stop(0);
  }

  @Test
  void aServerThatIsSealedOrGoneIsAway() throws Exception {
    VaultServer own = new VaultServer(Files.createDirectories(folder.resolve("own")));
    own.put("team-a/api", Map.of("token", "own"));
    try (SecretStore store =
        new VaultProvider()
            .create(
                new ExtensionConfig(
                    Map.of(
                        "url", own.url(),
                        "timeout_seconds", "1",
                        "token_file", file("token", own.root()))))) {
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("own");
      own.seal();
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessage("the server is sealed, or not ready")
          .returns(true, SecretException::isAway);
      own.unseal();
      assertThat(read(store, "kv/team-a/api#token")).isEqualTo("own");
      own.stop();
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessage("the server did not answer within 1.0 s")
          .returns(true, SecretException::isAway);
      own.goOn();
      own.kill();
      assertThat(refused(store, "kv/team-a/api#token"))
          .hasMessageContaining("cannot be reached")
          .hasMessageNotContaining("127.0.0.1")
          .returns(true, SecretException::isAway);
    }
    own.close();
  }

  /** Who is not trusted learns no token: the handshake comes first. */
  @Test
  void aServerWithTlsMustBeSignedByTheFilesAuthority() throws Exception {
    int port = FreePort.find();
    Path certificate = folder.resolve("authority.pem");
    Process tls = VaultServer.tls(port, certificate);
    String url = "https://127.0.0.1:" + port;
    String token = file("token", "s.any");
    try (SecretStore trusting =
            store("url", url, "token_file", token, "ca_file", certificate.toString());
        SecretStore other = store("url", url, "token_file", token)) {
      assertThat(refused(trusting, "kv/a#b")).hasMessage("the server is sealed, or not ready");
      assertThat(refused(other, "kv/a#b"))
          .hasMessageContaining("cannot be reached: SSLHandshakeException")
          .returns(true, SecretException::isAway);
    }
    tls.destroyForcibly();
  }
}
