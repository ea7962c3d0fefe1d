package dev.sandboxer.dataplane.websocket;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens WebSockets. The thread that serves them starts with the first, TLS is set up with the first
 * that needs it. Safe for use by several threads.
 */
public final class WebSockets implements AutoCloseable {
  /** Milliseconds for the connection, and as many for the opening handshake. */
  static final int OPENING_MILLIS = 10_000;

  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable NioEventLoopGroup loop;
  private final @Nullable TrustManagerFactory trust;
  private @Nullable SslContext tls;

  /** Trusts whom the JDK trusts. */
  public WebSockets() {
    this(null);
  }

  /**
   * Trusts certain certificates only.
   *
   * @param trust whom; null for whom the JDK trusts
   */
  WebSockets(@Nullable TrustManagerFactory trust) {
    this.trust = trust;
  }

  /**
   * Opens one. No redirect is followed and no extension is offered.
   *
   * @param address with scheme ws or wss; wss wants a certificate that the JDK trusts, for this
   *     host
   * @param headers sent with the handshake beside those of RFC 6455
   * @param protocol the only subprotocol that is offered, or several with commas between; empty for
   *     none
   * @throws UpgradeRefused when the server answers with another status than 101
   * @throws IOException when it cannot be reached, does not answer within 10 s, or does not speak
   *     the protocol
   */
  public WebSocket open(
      URI address, Map<String, String> headers, String protocol, Listener listener)
      throws IOException, InterruptedException {
    Opening opening = new Opening(address, headers, protocol, listener);
    boolean secure = "wss".equals(address.getScheme());
    int port = address.getPort() >= 0 ? address.getPort() : secure ? HTTPS_PORT : HTTP_PORT;
    ChannelFuture connected =
        new Bootstrap()
            .group(loop())
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, OPENING_MILLIS)
            .handler(opening.handlers(secure ? tls() : null))
            .connect(address.getHost(), port);
    Channel channel = connected.channel();
    boolean open = false;
    try {
      await(connected);
      WebSocket socket = new WebSocket(channel);
      opening.await();
      open = true;
      return socket;
    } finally {
      if (!open) {
        var _ = channel.close();
      }
    }
  }

  private static void await(ChannelFuture connected) throws IOException, InterruptedException {
    connected.await();
    Throwable cause = connected.cause();
    if (cause != null) {
      throw new IOException(cause.getMessage(), cause);
    }
  }

  private NioEventLoopGroup loop() {
    lock.lock();
    try {
      NioEventLoopGroup known = loop;
      if (known == null) {
        known = new NioEventLoopGroup(1, new DefaultThreadFactory("websockets", true));
        loop = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private SslContext tls() throws SSLException {
    lock.lock();
    try {
      SslContext known = tls;
      if (known == null) {
        known =
            SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(trust)
                .endpointIdentificationAlgorithm("HTTPS")
                .build();
        tls = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread, and with it every WebSocket that is still open. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (loop != null) {
        var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        loop = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
