package dev.sandboxer.ssh.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** A TCP connection without Nagle's delay that is written by an {@link Outlet}. */
final class DirectSocket extends Socket {

  private final String name;
  private final Duration patience;
  private @Nullable Outlet outlet;

  private DirectSocket(String name, Duration patience) {
    this.name = name;
    this.patience = patience;
  }

  /** Makes the sockets of one client. */
  static SocketFactory factory(String name, Duration patience) {
    return new SocketFactory() {
      @Override
      public Socket createSocket() throws SocketException {
        Socket socket = new DirectSocket(name, patience);
        socket.setTcpNoDelay(true);
        return socket;
      }

      @Override
      public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    synchronized (this) {
      Outlet made = outlet;
      if (made == null) {
        made = new Outlet(super.getOutputStream(), name, patience, this::closeQuietly);
        outlet = made;
      }
      return made;
    }
  }

  private void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      // There is nothing left to do with it.
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (outlet != null) {
        outlet.close();
      }
    }
    super.close();
  }
}
