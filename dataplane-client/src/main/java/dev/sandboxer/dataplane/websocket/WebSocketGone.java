package dev.sandboxer.dataplane.websocket;

import java.io.IOException;

/** Nothing can be sent any more. The listener receives the reason. */
public final class WebSocketGone extends IOException {
  private static final long serialVersionUID = 1L;

  WebSocketGone(Throwable cause) {
    super(Reading.reason(cause), cause);
  }
}
