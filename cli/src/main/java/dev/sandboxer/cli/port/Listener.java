package dev.sandboxer.cli.port;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.port.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** Takes connections at a port of this machine; each gets a thread and a WebSocket of its own. */
final class Listener implements AutoCloseable {
  private final ServerSocket server;
  private final int remote;
  private final Ports ports;
  private final Console console;

  Listener(ServerSocket server, int remote, Ports ports, Console console) {
    this.server = server;
    this.remote = remote;
    this.ports = ports;
    this.console = console;
  }

  int local() {
    return server.getLocalPort();
  }

  int remote() {
    return remote;
  }

  void start() {
    Thread.startVirtualThread(this::accept);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket local = server.accept();
        Thread.startVirtualThread(() -> join(local));
      } catch (IOException e) {
        if (!server.isClosed()) {
          tell("no further connection is taken: " + e.getMessage());
          close();
        }
      }
    }
  }

  private void join(Socket local) {
    try (local) {
      local.setTcpNoDelay(true);
      joinTelling(local);
    } catch (IOException e) {
      tell(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Told before the connection here ends, which whoever looks would see first. */
  private void joinTelling(Socket local) throws IOException, InterruptedException {
    try {
      ports.join(local, remote);
    } catch (Failure e) {
      tell(e.text());
    } catch (DataplaneException e) {
      tell(e.text());
    }
  }

  private void tell(String what) {
    console.tell(Escapes.visible("port " + remote + ": " + what));
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      // it takes no connection any more, which is what was wanted
    }
  }
}
