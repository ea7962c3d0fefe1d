package dev.sandboxer.testing;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A counterpart of E2B's cloud in a process of its own (tools/e2b), with faults. Its sandboxes end
 * with it, and it ends with the test's process. The system property {@code sandboxer.fake-e2b} says
 * where the program is.
 */
public final class E2bServer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String NAME = "e2b.test";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder;
  private final List<String> command;
  private final int port = FreePort.find();
  private final int tlsPort;
  private Process process;

  /**
   * Starts one.
   *
   * @param folder for its certificate and log
   * @param flags further ones, as tools/e2b/README.md says
   */
  public E2bServer(Path folder, String... flags) throws IOException {
    int other = FreePort.find();
    while (other == port) {
      other = FreePort.find();
    }
    this.tlsPort = other;
    this.folder = Files.createDirectories(folder);
    this.command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("sandboxer.fake-e2b", "target/fake-e2b"))
                    .toAbsolutePath()
                    .toString(),
                "-with-stdin",
                "-listen",
                "127.0.0.1:" + port,
                "-tls",
                "127.0.0.1:" + tlsPort,
                "-domain",
                domain(),
                "-ca",
                authority().toString()));
    command.addAll(List.of(flags));
    this.process = launch();
  }

  private Process launch() throws IOException {
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve("fake-e2b.log").toFile()))
            .start();
    await().atMost(PATIENCE).ignoreExceptions().until(() -> send("GET", "/health", "") == null);
    return started;
  }

  /** The URL of the control plane, and of an edge that selects the sandbox by headers. */
  public String url() {
    return "https://localhost:" + tlsPort;
  }

  /** Below which each port of each sandbox has a name. */
  public String domain() {
    return NAME + ":" + tlsPort;
  }

  public String key() {
    return "e2b_" + "0".repeat(32);
  }

  /** The file of the authority that signed the certificate. */
  public Path authority() {
    return folder.resolve("ca.pem");
  }

  /** For clients that trust this server alone. */
  public SSLContext trusting() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(authority())) {
      store.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** Replaces all faults. */
  public void faults(List<? extends Map<String, ?>> faults) {
    try {
      send("POST", "/_fake/faults", json.writeValueAsString(faults));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything that lives, also what lists do not show yet. */
  public JsonNode sandboxes() {
    return state().path("sandboxes");
  }

  /** What lives, what ended, and the seconds that are billed. */
  public JsonNode state() {
    return read("/_fake/state");
  }

  /** The last requests. */
  public JsonNode log() {
    return read("/_fake/log");
  }

  /** Ends a sandbox behind its renter's back. */
  public void kill(String id) {
    send("POST", "/_fake/kill/" + id, "");
  }

  /** From now on an authority signs that nobody knows yet; its file is replaced. */
  public void renewCertificate() {
    send("POST", "/_fake/certificate", "");
  }

  /** Ends it with all its sandboxes. */
  public void stop() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts it again at the same address, without a sandbox and with another certificate. */
  public void start() throws IOException {
    process = launch();
  }

  private JsonNode read(String path) {
    JsonNode answer = send("GET", path, "");
    if (answer == null) {
      throw new IllegalStateException(path + " gave no answer");
    }
    return answer;
  }

  /** Null for an answer without a body. */
  private @Nullable JsonNode send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      if (response.statusCode() >= 300) {
        throw new IllegalStateException(path + ": " + response.statusCode() + response.body());
      }
      return response.body().isEmpty() ? null : json.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    stop();
    client.close();
  }
}
