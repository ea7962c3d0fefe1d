package dev.sandboxer.secrets.vault;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sandboxer.spi.secret.SecretException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the server. Redirects are not followed, bodies are bounded, and no message has a
 * token, a body or the server's address in it.
 */
final class VaultHttp implements AutoCloseable {

  /** Of an answer. The secret itself may have 64 KiB; other keys lie beside it. */
  private static final int MOST_BYTES = 4 << 20;

  private static final int MULTIPLE_CHOICES = 300;
  private static final int BAD_REQUEST = 400;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int SEALED = 503;

  private final VaultSettings settings;
  private final HttpClient client;
  private final ObjectMapper json = new ObjectMapper();

  VaultHttp(VaultSettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(settings.timeout());
    settings.authorities().ifPresent(file -> builder.sslContext(trusting(file)));
    this.client = builder.build();
  }

  /**
   * An answer of the server's.
   *
   * @param status below 500, and neither a redirect nor 429
   * @param body JSON; missing if it was none
   */
  record Reply(int status, JsonNode body) {

    boolean ok() {
      return status < MULTIPLE_CHOICES;
    }
  }

  Reply get(String path, String token, Duration limit) throws SecretException {
    return send(request(path, token).GET(), limit);
  }

  Reply post(String path, @Nullable String token, Map<String, ?> body, Duration limit)
      throws SecretException {
    try {
      byte[] bytes = json.writeValueAsBytes(body);
      return send(
          request(path, token)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofByteArray(bytes)),
          limit);
    } catch (JacksonException e) {
      throw new IllegalStateException("texts are JSON", e);
    }
  }

  private HttpRequest.Builder request(String path, @Nullable String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(settings.url() + "/v1/" + path))
            .header("X-Vault-Request", "true");
    settings.namespace().ifPresent(name -> request.header("X-Vault-Namespace", name));
    if (token != null) {
      request.header("X-Vault-Token", token);
    }
    return request;
  }

  private Reply send(HttpRequest.Builder request, Duration limit) throws SecretException {
    Duration time = limit.compareTo(settings.timeout()) < 0 ? limit : settings.timeout();
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(
            request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
    try {
      return judged(sent.get(Math.max(1, time.toMillis()), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      throw SecretException.away(
          "the server did not answer within %.1f s".formatted(time.toMillis() / 1000.0), e);
    } catch (InterruptedException e) {
      throw SecretException.away("the server did not answer in time", e);
    } catch (ExecutionException e) {
      throw SecretException.away(
          "the server cannot be reached: " + reason(e.getCause()), e.getCause());
    } finally {
      sent.cancel(true);
    }
  }

  /** Java's own messages may name the address. */
  private static String reason(@Nullable Throwable cause) {
    return cause == null ? "no reason is known" : cause.getClass().getSimpleName();
  }

  private Reply judged(HttpResponse<byte[]> response) throws SecretException {
    int status = response.statusCode();
    if (status == SEALED) {
      throw SecretException.away("the server is sealed, or not ready", null);
    }
    if (status == TOO_MANY) {
      throw SecretException.away("the server is busy, or a standby that serves nothing", null);
    }
    if (status >= SERVER_ERROR) {
      throw SecretException.away("the server failed with status " + status, null);
    }
    if (status >= MULTIPLE_CHOICES && status < BAD_REQUEST) {
      throw SecretException.away(
          "the server redirects (%d), which is not followed: 'url' must be the active server's"
              .formatted(status),
          null);
    }
    return new Reply(status, parsed(response.body()));
  }

  private JsonNode parsed(byte[] body) {
    try {
      JsonNode node = json.readTree(body);
      return node == null ? MissingNode.getInstance() : node;
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  private static SSLContext trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw new IllegalArgumentException(
            "config.ca_file '%s' has no certificate".formatted(file));
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate certificate : found) {
        store.setCertificateEntry(Integer.toString(count++), certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "config.ca_file '%s' must be a file of certificates, PEM: %s".formatted(file, e), e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
