package dev.sandboxer.dataplane.port;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneCalls;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.dataplane.frame.Sockets;
import dev.sandboxer.dataplane.websocket.WebSocket;
import dev.sandboxer.dataplane.websocket.WebSocketGone;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ports inside a sandbox, as byte streams. Safe for use by several threads. */
public final class Ports {
  private static final int CHUNK = 32 * 1024;
  private static final int LAST = 65_535;

  private final Sockets sockets;
  private final DataplaneCalls calls;

  /** Ports of one sandbox. */
  public Ports(Dataplane dataplane) {
    this.sockets = new Sockets(dataplane);
    this.calls = new DataplaneCalls(dataplane);
  }

  /**
   * Ports on which something listens inside.
   *
   * @throws CallRefused when the token may not use ports
   * @throws ConnectionLost when there was no answer
   */
  public List<Integer> listening() throws InterruptedException {
    List<Integer> ports = new ArrayList<>();
    calls.get("/ports").path("items").forEach(one -> ports.add(one.path("port").asInt()));
    return List.copyOf(ports);
  }

  /**
   * Connects a socket with a port inside until both sides have sent all, or one is gone. The caller
   * closes the socket.
   *
   * @throws StreamRefused when nothing listens inside; after any exception closing {@code local}
   *     resets it, because a cut stream must not look whole
   * @throws ConnectionLost when the connection broke
   * @throws CallRefused when the token may not use ports
   * @throws IOException when {@code local} is gone
   */
  public void join(Socket local, int port) throws IOException, InterruptedException {
    boolean whole = false;
    try {
      join(new SocketStream(local), port);
      whole = true;
    } finally {
      if (!whole) {
        local.setOption(StandardSocketOptions.SO_LINGER, 0);
      }
    }
  }

  /**
   * Connects a stream with a port inside until both sides have sent all, or one is gone.
   *
   * @param local read on a thread of its own, which may outlive this call until its read returns
   * @param port 1 to 65,535
   * @throws StreamRefused when nothing listens inside
   * @throws ConnectionLost when the connection broke
   * @throws CallRefused when the token may not use ports
   */
  public void join(LocalStream local, int port) throws InterruptedException {
    if (port < 1 || port > LAST) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and " + LAST);
    }
    PortSocket listener = new PortSocket(sockets.json(), local);
    WebSocket socket = sockets.open("/ports/" + port + "/tcp", listener, "");
    try {
      Thread.startVirtualThread(() -> forward(local, socket, listener));
      Sockets.await(socket, listener.end());
    } finally {
      socket.abort();
    }
  }

  private static void forward(LocalStream local, WebSocket socket, PortSocket listener) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream input = local.input();
      for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
        socket.binary(Arrays.copyOf(chunk, count));
      }
      socket.text(PortSocket.END);
      listener.localEnded();
    } catch (WebSocketGone e) {
      // its listener reports why
    } catch (IOException e) {
      listener.localGone();
    }
  }

  private record SocketStream(Socket socket) implements LocalStream {
    @Override
    public InputStream input() throws IOException {
      return socket.getInputStream();
    }

    @Override
    public OutputStream output() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public void endOutput() throws IOException {
      socket.shutdownOutput();
    }
  }
}
