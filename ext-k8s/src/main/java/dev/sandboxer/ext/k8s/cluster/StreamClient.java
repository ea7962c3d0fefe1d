package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * WebSockets to an API server with the login of a kubeconfig. Java's own: those of the Kubernetes
 * client neither say when there is room for more nor can they be cut.
 */
final class StreamClient {

  private final HttpClient http;
  private final String server;
  private final Optional<String> login;
  private final Duration limit;

  private StreamClient(HttpClient http, String server, Optional<String> login, Duration limit) {
    this.http = http;
    this.server = server;
    this.login = login;
    this.limit = limit;
  }

  static StreamClient of(Config config) throws ExtensionException {
    try {
      Duration limit = Duration.ofMillis(config.getConnectionTimeout());
      return new StreamClient(
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(limit)
              .sslContext(SSLUtils.sslContext(config))
              .build(),
          config.getMasterUrl().replaceFirst("^http", "ws").replaceFirst("/*$", "/"),
          login(config),
          limit);
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          "credentials.kubeconfig has a certificate or key that cannot be read: " + e.getMessage(),
          e);
    }
  }

  private static Optional<String> login(Config config) {
    if (config.getAutoOAuthToken() != null) {
      return Optional.of("Bearer " + config.getAutoOAuthToken());
    }
    if (config.getUsername() == null || config.getPassword() == null) {
      return Optional.empty();
    }
    byte[] basic =
        (config.getUsername() + ":" + config.getPassword()).getBytes(StandardCharsets.UTF_8);
    return Optional.of("Basic " + Base64.getEncoder().encodeToString(basic));
  }

  CompletableFuture<WebSocket> open(String path, WebSocket.Listener listener) {
    WebSocket.Builder builder =
        http.newWebSocketBuilder().subprotocols("v4.channel.k8s.io").connectTimeout(limit);
    login.ifPresent(header -> builder.header("Authorization", header));
    return builder.buildAsync(URI.create(server + path), listener);
  }
}
