package dev.sandboxer.dataplane.websocket;

import java.io.IOException;

/** The server answered the opening handshake with something else than 101. */
public final class UpgradeRefused extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String body;

  UpgradeRefused(int status, String body) {
    super("the server answered " + status);
    this.status = status;
    this.body = body;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The body, which may be anything; at most 256 KiB. */
  public String body() {
    return body;
  }
}
