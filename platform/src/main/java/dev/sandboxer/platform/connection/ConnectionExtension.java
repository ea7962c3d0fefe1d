package dev.sandboxer.platform.connection;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;

/**
 * Looks after each connection from the moment at which it was accepted, before its first byte: the
 * HTTP server shows a connection only with its first request. Netty finds it by ServiceLoader once
 * {@link #enable} was called.
 */
public final class ConnectionExtension extends ChannelInitializerExtension {

  private final Connections connections = new Connections(ConnectionLimits.usual());

  /** For ServiceLoader. */
  public ConnectionExtension() {}

  /** Lets Netty look for extensions. To be called before the first listener. */
  public static void enable() {
    System.setProperty(EXTENSIONS_SYSTEM_PROPERTY, "serviceload");
  }

  @Override
  public void postInitializeServerChildChannel(Channel child) {
    ReadSize reads = new ReadSize();
    child.config().setRecvByteBufAllocator(() -> reads);
    child.pipeline().addFirst(new ClientConnection(connections, child, reads));
  }
}
