package dev.sandboxer.dataplane.exec;

import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.OutputClosed;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.dataplane.frame.Sockets;
import dev.sandboxer.dataplane.websocket.WebSocket;
import dev.sandboxer.dataplane.websocket.WebSocketGone;
import java.io.IOException;
import java.io.InputStream;

/**
 * A command that was started in a sandbox. What is sent after its end is dropped: {@link #await}
 * reports how it ended. Safe for use by several threads.
 */
public final class RunningCommand implements AutoCloseable {
  private static final int CHUNK = 32 * 1024;

  private final WebSocket socket;
  private final CommandSocket listener;

  private RunningCommand(WebSocket socket, CommandSocket listener) {
    this.socket = socket;
    this.listener = listener;
  }

  static RunningCommand start(
      Sockets sockets, String route, CommandRequest request, CommandOutput output)
      throws InterruptedException {
    CommandSocket listener = new CommandSocket(sockets.json(), output);
    WebSocket socket = sockets.open(route, listener, Sockets.BINARY);
    RunningCommand command = new RunningCommand(socket, listener);
    command.text(request.frame().toString());
    return command;
  }

  /**
   * Waits until the command runs. Not needed before anything else: what is sent earlier arrives in
   * order.
   *
   * @throws StreamRefused when the sandbox cannot start it
   * @throws ConnectionLost when the connection broke, or {@link #close} was called meanwhile
   */
  public void awaitStart() throws InterruptedException {
    var _ = Sockets.await(socket, listener.ready());
  }

  /**
   * Sends standard input and waits until the network took it.
   *
   * @param count how many of the bytes, from the first
   * @return false when the connection is gone, because the command has ended or for another reason
   */
  public boolean write(byte[] bytes, int count) {
    try {
      socket.binary(CommandSocket.stdin(bytes, count));
      return true;
    } catch (WebSocketGone e) {
      return false; // await() reports why
    }
  }

  /** Ends standard input; in a terminal, as Ctrl-D does. */
  public void endInput() {
    text(CommandSocket.endOfStdin());
  }

  /**
   * Forwards a stream and its end as standard input, from a daemon thread of its own, so that a
   * read that never returns keeps nothing waiting. A stream that cannot be read has ended. The
   * caller closes it.
   */
  public void pipe(InputStream stdin) {
    Thread.ofPlatform().daemon().name("stdin").start(() -> forward(stdin));
  }

  private void forward(InputStream stdin) {
    byte[] chunk = new byte[CHUNK];
    for (int count = read(stdin, chunk); count >= 0; count = read(stdin, chunk)) {
      if (!write(chunk, count)) {
        return; // the command has ended and wants no more
      }
    }
    endInput();
  }

  private static int read(InputStream stdin, byte[] chunk) {
    try {
      return stdin.read(chunk);
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * Sends a signal to the command's process group, or to what is in the foreground of a terminal.
   *
   * @param name such as {@code TERM}; the sandbox ignores one that it does not know
   */
  public void signal(String name) {
    text(CommandSocket.signal(name));
  }

  /** Changes the size of the command's terminal. */
  public void resize(TerminalSize size) {
    text(CommandSocket.resize(size));
  }

  private void text(String frame) {
    try {
      socket.text(frame);
    } catch (WebSocketGone e) {
      // await() reports why
    }
  }

  /**
   * Waits for the command's end; all its output was delivered before.
   *
   * @throws StreamRefused when the sandbox could not start it
   * @throws ConnectionLost when the connection broke, or {@link #close} was called meanwhile
   * @throws OutputClosed when the receiver of output threw
   */
  public CommandEnd await() throws InterruptedException {
    return Sockets.await(socket, listener.end());
  }

  /** Ends the connection, and with it a command that still runs. */
  @Override
  public void close() {
    listener.fail(new ConnectionLost("the connection was closed on this side", null));
    socket.abort();
  }
}
