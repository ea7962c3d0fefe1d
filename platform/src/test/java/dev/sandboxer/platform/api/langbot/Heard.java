package dev.sandboxer.platform.api.langbot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A connection to the door of LangBot, and what it heard. */
final class Heard implements WebSocket.Listener {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();
  private volatile int closed;

  WebSocket connect(Api api, String token) {
    return connect(api, "/rpc/ws", token, "inst");
  }

  WebSocket connect(Api api, String path, String token, String instance) {
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .header("X-LangBot-Box-Control-Token", token)
        .header("X-LangBot-Instance-Id", instance)
        .buildAsync(
            URI.create("ws" + api.base().toString().substring("http".length()) + path), this)
        .join();
  }

  @Override
  public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      messages.add(text.toString());
      text.setLength(0);
    }
    return WebSocket.Listener.super.onText(socket, data, last);
  }

  @Override
  public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
    closed = status;
    return WebSocket.Listener.super.onClose(socket, status, reason);
  }

  JsonNode next() {
    try {
      return Api.JSON.readTree(messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean closed() {
    return closed != 0;
  }

  void awaitClosed(int status) {
    await().atMost(PATIENCE).until(this::closed);
    assertThat(closed).isEqualTo(status);
  }
}
