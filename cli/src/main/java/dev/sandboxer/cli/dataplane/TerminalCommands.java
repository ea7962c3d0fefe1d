package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Terminal;
import dev.sandboxer.cli.terminal.TerminalSize;
import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSockets;
import java.io.IOException;
import java.io.InputStream;

/**
 * Runs commands that have a terminal inside, at the terminal of this process: every key goes to the
 * command, Ctrl-C too.
 */
public final class TerminalCommands {
  private static final int KEYS = 4096;
  private static final int HANGUP = 1;

  private final Sockets sockets;
  private final ObjectMapper json;

  public TerminalCommands(WebSockets webSockets, ObjectMapper json) {
    this.sockets = new Sockets(webSockets, json);
    this.json = json;
  }

  /**
   * Runs one command to its end; the terminal is then as it was.
   *
   * @param route {@code /shell/ws}, where a request without a command gets a shell, or {@code
   *     /exec/ws}
   * @throws Failure when it could not be started, the connection broke, or the user hung up
   */
  public CommandEnd run(
      Dataplane dataplane,
      String route,
      CommandRequest request,
      Terminal terminal,
      InputStream keys,
      CommandOutput output)
      throws InterruptedException {
    CommandSocket listener = new CommandSocket(json, output);
    WebSocket socket = sockets.open(dataplane.access(), route, listener, CommandSocket.PROTOCOL);
    FrameSender sender = new FrameSender(socket);
    TerminalSize size = terminal.size();
    try (Terminal.Raw _ = terminal.raw()) {
      sender.text(request.withTerminal(size).frame().toString());
      Sockets.await(socket, listener.ready());
      terminal.onResize(size, now -> sender.text(CommandSocket.resize(now)));
      Thread.ofPlatform().daemon().name("keys").start(() -> forward(keys, sender, listener));
      return Sockets.await(socket, listener.end());
    } finally {
      socket.abort();
    }
  }

  private static void forward(InputStream keys, FrameSender sender, CommandSocket listener) {
    EscapeKeys escape = new EscapeKeys();
    byte[] chunk = new byte[KEYS];
    try {
      for (int count = keys.read(chunk); count >= 0; count = keys.read(chunk)) {
        byte[] passed = escape.pass(chunk, count);
        if (passed.length > 0 && !sender.binary(passed, passed.length)) {
          return; // the command has ended, or the listener tells what went wrong
        }
        if (escape.hungUp()) {
          listener.end().completeExceptionally(hungUp());
          return;
        }
      }
      sender.text(CommandSocket.endOfStdin());
    } catch (IOException e) {
      sender.text(CommandSocket.endOfStdin()); // the terminal is gone
    }
  }

  private static Failure hungUp() {
    return new Failure(
        ExitCode.bySignal(HANGUP), "hung up; what ran in the terminal was ended", null);
  }
}
