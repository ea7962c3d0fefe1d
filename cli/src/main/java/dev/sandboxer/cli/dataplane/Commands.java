package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSockets;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands in a sandbox, streaming all three standard streams, with signals handed to the
 * command.
 */
public final class Commands {
  private final Sockets sockets;
  private final ObjectMapper json;
  private final Interrupts interrupts;

  public Commands(WebSockets webSockets, ObjectMapper json, Interrupts interrupts) {
    this.sockets = new Sockets(webSockets, json);
    this.json = json;
    this.interrupts = interrupts;
  }

  /**
   * Runs one command to its end.
   *
   * @param stdin forwarded with its end; null gives the command an empty one
   * @throws Failure when it could not be started or the connection broke
   * @throws InterruptedException when a third Ctrl-C would wait no longer for the command's end
   */
  public CommandEnd run(
      Dataplane dataplane,
      CommandRequest request,
      CommandOutput output,
      @Nullable InputStream stdin)
      throws InterruptedException {
    CommandSocket listener = new CommandSocket(json, output);
    WebSocket socket =
        sockets.open(dataplane.access(), "/exec/ws", listener, CommandSocket.PROTOCOL);
    FrameSender sender = new FrameSender(socket);
    try (Interrupts.Scope _ =
        interrupts.handTo(new SignalForwarder(sender, Thread.currentThread()))) {
      sender.text(request.frame().toString());
      Sockets.await(socket, listener.ready());
      sender.stdin(stdin);
      return Sockets.await(socket, listener.end());
    } finally {
      socket.abort();
    }
  }
}
