package dev.sandboxer.cli.dataplane;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.WebSocket;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames one after another: a WebSocket of the JDK takes the next only when the one before is
 * out.
 */
final class FrameSender {
  private static final int CHUNK = 32 * 1024;

  private final WebSocket socket;
  private final ReentrantLock turn = new ReentrantLock();

  FrameSender(WebSocket socket) {
    this.socket = socket;
  }

  /** A text frame; a connection that is gone is told by the listener, not here. */
  void text(String frame) {
    turn.lock();
    try {
      socket.sendText(frame, true).join();
    } catch (CompletionException e) {
      // the listener sees the same failure
    } finally {
      turn.unlock();
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
    try {
      for (int count = stdin.read(chunk); count >= 0; count = stdin.read(chunk)) {
        binary(chunk, count);
      }
      text(CommandSocket.endOfStdin());
    } catch (IOException e) {
      text(CommandSocket.endOfStdin()); // a standard input that cannot be read has ended
    } catch (CompletionException e) {
      // the command has ended and wants no more
    }
  }

  /** Input, as it is. */
  void binary(byte[] chunk, int count) {
    turn.lock();
    try {
      socket.sendBinary(CommandSocket.stdin(chunk, count), true).join();
    } finally {
      turn.unlock();
    }
  }
}
