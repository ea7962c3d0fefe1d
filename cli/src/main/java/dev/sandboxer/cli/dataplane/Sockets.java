package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.HttpClients;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens the dataplane's WebSockets. Not for use by several threads. */
final class Sockets {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration PING = Duration.ofSeconds(5);

  private final HttpClients http;
  private final ObjectMapper json;

  Sockets(HttpClients http, ObjectMapper json) {
    this.http = http;
    this.json = json;
  }

  /**
   * Connects to a route such as {@code /exec/ws}.
   *
   * @throws CallRefused when the platform or the sandbox refuses
   * @throws ConnectionLost when neither answers
   */
  WebSocket open(
      Dataplane.Access access, String route, WebSocket.Listener listener, String... protocol)
      throws InterruptedException {
    WebSocket.Builder builder =
        http.of(access.ws())
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + access.token())
            .connectTimeout(CONNECT);
    if (protocol.length > 0) {
      builder.subprotocols(protocol[0]);
    }
    return await(
        builder
            .buildAsync(URI.create(access.ws() + route), listener)
            .exceptionallyCompose(error -> CompletableFuture.failedFuture(refusal(error, access))));
  }

  private Failure refusal(Throwable error, Dataplane.Access access) {
    Throwable cause = error.getCause() == null ? error : error.getCause();
    return cause instanceof WebSocketHandshakeException handshake
        ? refusal(handshake.getResponse(), access)
        : new ConnectionLost(
            "the sandbox's dataplane cannot be reached at " + access + ": " + cause.getMessage(),
            error);
  }

  private CallRefused refusal(HttpResponse<?> response, Dataplane.Access access) {
    try {
      JsonNode body = json.readTree(String.valueOf(response.body()));
      return CallRefused.of(response.statusCode(), body, access);
    } catch (JsonProcessingException e) {
      return CallRefused.of(response.statusCode(), json.missingNode(), access);
    }
  }

  /**
   * Waits for what comes over an open socket; what went wrong is thrown as it was told. Asks now
   * and then whether somebody is still there: the end of a connection is not always told.
   */
  static <T> T await(WebSocket socket, CompletableFuture<T> future) throws InterruptedException {
    while (!settled(future)) {
      CompletableFuture<WebSocket> _ =
          socket
              .sendPing(ByteBuffer.allocate(0))
              .whenComplete(
                  (_, gone) -> {
                    if (gone != null) {
                      future.completeExceptionally(
                          new ConnectionLost("the connection to the sandbox was lost", gone));
                    }
                  });
    }
    return await(future);
  }

  private static boolean settled(CompletableFuture<?> future) throws InterruptedException {
    try {
      var _ = future.get(PING.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private static <T> T await(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException told
          ? told
          : Failure.sandboxer(String.valueOf(e.getMessage()), e);
    }
  }
}
