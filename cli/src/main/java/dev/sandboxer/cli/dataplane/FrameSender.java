package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSocketGone;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Sends a command's frames. That the connection is gone is told by its listener, not here. */
final class FrameSender {
  private static final int CHUNK = 32 * 1024;

  private final WebSocket socket;

  FrameSender(WebSocket socket) {
    this.socket = socket;
  }

  /** A text frame. */
  void text(String frame) {
    try {
      socket.text(frame);
    } catch (WebSocketGone e) {
      // the listener sees the same failure
    }
  }

  /**
   * Forwards {@code stdin} and its end from a thread of its own, so that a read that never returns
   * keeps nothing waiting.
   */
  void stdin(@Nullable InputStream stdin) {
    if (stdin == null) {
      text(CommandSocket.endOfStdin());
      return;
    }
    Thread.ofPlatform().daemon().name("stdin").start(() -> pump(stdin));
  }

  private void pump(InputStream stdin) {
    byte[] chunk = new byte[CHUNK];
    for (int count = read(stdin, chunk); count >= 0; count = read(stdin, chunk)) {
      if (!binary(chunk, count)) {
        return; // the command has ended and wants no more
      }
    }
    text(CommandSocket.endOfStdin());
  }

  /** A standard input that cannot be read has ended. */
  private static int read(InputStream stdin, byte[] chunk) {
    try {
      return stdin.read(chunk);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Input, as it is; false when the connection is gone. */
  boolean binary(byte[] chunk, int count) {
    try {
      socket.binary(CommandSocket.stdin(chunk, count));
      return true;
    } catch (WebSocketGone e) {
      return false;
    }
  }
}
