package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.websocket.Listener;
import dev.sandboxer.cli.websocket.UpgradeRefused;
import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSockets;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens the dataplane's WebSockets. */
final class Sockets {
  private static final Duration PING = Duration.ofSeconds(5);

  private final WebSockets webSockets;
  private final ObjectMapper json;

  Sockets(WebSockets webSockets, ObjectMapper json) {
    this.webSockets = webSockets;
    this.json = json;
  }

  /**
   * Connects to a route such as {@code /exec/ws}.
   *
   * @param protocol the subprotocol to ask for; empty for none
   * @throws CallRefused when the platform or the sandbox refuses
   * @throws ConnectionLost when neither answers
   */
  WebSocket open(Dataplane.Access access, String route, Listener listener, String protocol)
      throws InterruptedException {
    Map<String, String> headers = Map.of("Authorization", "Bearer " + access.token());
    try {
      return webSockets.open(URI.create(access.ws() + route), headers, protocol, listener);
    } catch (UpgradeRefused e) {
      throw refusal(e, access);
    } catch (IOException e) {
      throw new ConnectionLost(
          "the sandbox's dataplane cannot be reached at " + access + ": " + e.getMessage(), e);
    }
  }

  private CallRefused refusal(UpgradeRefused refused, Dataplane.Access access) {
    try {
      return CallRefused.of(refused.status(), json.readTree(refused.body()), access);
    } catch (JsonProcessingException e) {
      return CallRefused.of(refused.status(), json.missingNode(), access);
    }
  }

  /**
   * Waits for what comes over an open socket; what went wrong is thrown as it was told. Asks now
   * and then whether somebody is still there: a machine that is gone does not tell.
   */
  static <T> T await(WebSocket socket, CompletableFuture<T> future) throws InterruptedException {
    while (!settled(future)) {
      socket.ping(
          gone ->
              future.completeExceptionally(
                  new ConnectionLost(
                      "the connection to the sandbox was lost: " + gone.getMessage(), gone)));
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
