package dev.sandboxer.dataplane.frame;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.BadAnswer;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.dataplane.websocket.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The client's side of a WebSocket whose texts are JSON. A text without end, and the connection's
 * own end, are failures.
 */
public abstract class FrameSocket implements Listener {
  private static final int LONGEST_TEXT = 1 << 20;

  private final ObjectMapper json;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  /** Reads texts by {@code json}. */
  protected FrameSocket(ObjectMapper json) {
    this.json = json;
  }

  /** A text frame; a missing node where it was no JSON. */
  protected abstract void take(JsonNode frame);

  /** Nothing more is to come; after the first end this changes nothing. */
  public abstract void fail(DataplaneException failure);

  @Override
  public boolean onText(ByteBuffer part, boolean last) {
    if (text.size() + part.remaining() > LONGEST_TEXT) {
      fail(new BadAnswer("the sandbox sent an endless message", null));
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
  protected static byte[] bytes(ByteBuffer part) {
    byte[] bytes = new byte[part.remaining()];
    part.get(bytes);
    return bytes;
  }

  /** What an error frame says. */
  protected static StreamRefused refused(JsonNode frame) {
    return new StreamRefused(frame.path("code").asText(), frame.path("message").asText());
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
