package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import java.net.http.WebSocket;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of a WebSocket whose texts are JSON. The next frame is asked for once this one
 * was taken; a text without end, and the connection's own end, are failures.
 */
abstract class FrameSocket implements WebSocket.Listener {
  private static final int LONGEST_TEXT = 1 << 20;

  private final ObjectMapper json;
  private final StringBuilder text = new StringBuilder();

  FrameSocket(ObjectMapper json) {
    this.json = json;
  }

  /** A text frame; a missing node where it was no JSON. */
  abstract void take(JsonNode frame);

  /** Nothing more is to come. */
  abstract void fail(Failure failure);

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    if (text.length() + data.length() > LONGEST_TEXT) {
      fail(Failure.sandboxer("the sandbox sent an endless message"));
      return null;
    }
    text.append(data);
    if (last) {
      take(parse(text.toString()));
      text.setLength(0);
    }
    socket.request(1);
    return null;
  }

  private JsonNode parse(String message) {
    try {
      return json.readTree(message);
    } catch (JsonProcessingException e) {
      return json.missingNode();
    }
  }

  /** What an error frame says. */
  static CommandRefused refused(JsonNode frame) {
    return new CommandRefused(frame.path("code").asText(), frame.path("message").asText());
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
    String why = reason.isEmpty() ? "" : " " + reason;
    fail(new ConnectionLost("the sandbox closed the connection (" + status + why + ")", null));
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    fail(
        new ConnectionLost("the connection to the sandbox was lost: " + error.getMessage(), error));
  }
}
