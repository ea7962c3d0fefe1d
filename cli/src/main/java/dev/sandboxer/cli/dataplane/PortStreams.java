package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSocketGone;
import dev.sandboxer.cli.websocket.WebSockets;
import java.io.IOException;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/** Connections to ports inside. Safe for use by several threads. */
public final class PortStreams {
  private static final int CHUNK = 32 * 1024;

  private final Sockets sockets;
  private final ObjectMapper json;
  private final Dataplane dataplane;
  private final ReentrantLock grants = new ReentrantLock();

  public PortStreams(WebSockets webSockets, ObjectMapper json, Dataplane dataplane) {
    this.sockets = new Sockets(webSockets, json);
    this.json = json;
    this.dataplane = dataplane;
  }

  /**
   * Connects {@code local} with a port inside until both sides have said all, or one is gone. The
   * caller closes {@code local}.
   *
   * @throws Failure when nothing listens inside or the connection broke: closing {@code local} then
   *     resets it
   * @throws IOException when the program here has gone
   */
  public void join(Socket local, int port) throws IOException, InterruptedException {
    boolean whole = false;
    try {
      carry(local, port);
      whole = true;
    } finally {
      if (!whole) {
        local.setOption(StandardSocketOptions.SO_LINGER, 0); // a cut stream must not look whole
      }
    }
  }

  private void carry(Socket local, int port) throws InterruptedException {
    PortSocket listener = new PortSocket(json, local);
    WebSocket socket = open(port, listener);
    try {
      Thread.startVirtualThread(() -> forward(local, socket, listener));
      Sockets.await(socket, listener.end());
    } finally {
      socket.abort();
    }
  }

  private WebSocket open(int port, PortSocket listener) throws InterruptedException {
    grants.lockInterruptibly();
    try {
      return sockets.open(dataplane.access(), "/ports/" + port + "/tcp", listener, "");
    } finally {
      grants.unlock();
    }
  }

  private static void forward(Socket local, WebSocket socket, PortSocket listener) {
    byte[] chunk = new byte[CHUNK];
    try {
      for (int count = local.getInputStream().read(chunk);
          count >= 0;
          count = local.getInputStream().read(chunk)) {
        socket.binary(Arrays.copyOf(chunk, count));
      }
      socket.text(PortSocket.END);
      listener.localEnded();
    } catch (WebSocketGone e) {
      // which its listener tells
    } catch (IOException e) {
      listener.localGone();
    }
  }
}
