package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.websocket.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The client's side of a WebSocket whose texts are JSON. A text without end, and the connection's
 * own end, are failures.
 */
abstract class FrameSocket implements Listener {
  private static final int LONGEST_TEXT = 1 << 20;

  private final ObjectMapper json;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  FrameSocket(ObjectMapper json) {
    this.json = json;
  }

  /** A text frame; a missing node where it was no JSON. */
  abstract void take(JsonNode frame);

  /** Nothing more is to come. */
  abstract void fail(Failure failure);

  @Override
  public boolean onText(ByteBuffer part, boolean last) {
    if (text.size() + part.remaining() > LONGEST_TEXT) {
      fail(Failure.sandboxer("the sandbox sent an endless message"));
      return false;
    }
    text.writeBytes(bytes(part));
    if (last) {
      take(parse(text.toByteArray()));
      text.reset();
    }
    return true;
  }

  private JsonNode parse(byte[] message) {
    try {
      return json.readTree(message);
    } catch (IOException e) {
      return json.missingNode();
    }
  }

  /** What is left of a frame. */
  static byte[] bytes(ByteBuffer part) {
    byte[] bytes = new byte[part.remaining()];
    part.get(bytes);
    return bytes;
  }

  /** What an error frame says. */
  static CommandRefused refused(JsonNode frame) {
    return new CommandRefused(frame.path("code").asText(), frame.path("message").asText());
  }

  @Override
  public void onClose(int status, String reason) {
    String why = reason.isEmpty() ? "" : " " + reason;
    fail(new ConnectionLost("the sandbox closed the connection (" + status + why + ")", null));
  }

  @Override
  public void onError(Throwable error) {
    fail(
        new ConnectionLost("the connection to the sandbox was lost: " + error.getMessage(), error));
  }
}
