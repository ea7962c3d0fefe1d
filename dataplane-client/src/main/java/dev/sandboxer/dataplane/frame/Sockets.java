package dev.sandboxer.dataplane.frame;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.BadAnswer;
import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.Grant;
import dev.sandboxer.dataplane.websocket.Listener;
import dev.sandboxer.dataplane.websocket.UpgradeRefused;
import dev.sandboxer.dataplane.websocket.WebSocket;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens one sandbox's WebSockets. Safe for use by several threads. */
public final class Sockets {
  /** The subprotocol whose input and output are binary frames. */
  public static final String BINARY = "sandboxer.v1.binary";

  private static final Duration PING = Duration.ofSeconds(5);

  private final Dataplane dataplane;

  /** WebSockets of one sandbox. */
  public Sockets(Dataplane dataplane) {
    this.dataplane = dataplane;
  }

  /** What reads and writes the frames' JSON. */
  public ObjectMapper json() {
    return dataplane.connections().json();
  }

  /**
   * Connects to a route such as {@code /exec/ws}.
   *
   * @param protocol the subprotocol to ask for; empty for none
   * @throws CallRefused when the platform or the sandbox refuses
   * @throws ConnectionLost when neither answers
   */
  public WebSocket open(String route, Listener listener, String protocol)
      throws InterruptedException {
    Grant grant = dataplane.grant();
    URI address = URI.create(grant.ws() + route);
    Map<String, String> headers = Map.of("Authorization", "Bearer " + grant.token());
    try {
      return dataplane.connections().webSockets().open(address, headers, protocol, listener);
    } catch (UpgradeRefused e) {
      throw refusal(e, address);
    } catch (IOException e) {
      throw new ConnectionLost(
          "the sandbox's dataplane cannot be reached at " + grant + ": " + e.getMessage(), e);
    }
  }

  private CallRefused refusal(UpgradeRefused refused, URI address) {
    try {
      return CallRefused.of(refused.status(), json().readTree(refused.body()), address);
    } catch (JsonProcessingException e) {
      return CallRefused.of(refused.status(), json().missingNode(), address);
    }
  }

  /**
   * Waits for what comes over an open socket; what the future failed with is thrown as it is. Sends
   * a ping every 5 seconds, because a machine that is gone sends nothing.
   *
   * @throws ConnectionLost when a ping cannot be sent
   */
  public static <T> T await(WebSocket socket, CompletableFuture<T> future)
      throws InterruptedException {
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
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new BadAnswer(String.valueOf(e.getMessage()), e);
    }
  }
}
