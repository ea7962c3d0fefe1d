package dev.sandboxer.platform.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection, below TLS and HTTP: bounds how long a head may take, what may be sent
 * ahead of an answer, and how the rest of a body is read that nobody wants (a lingering close, RFC
 * 9112, section 9.6). Lives on the connection's event loop.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter {

  private static final AttributeKey<ClientConnection> KEY =
      AttributeKey.valueOf(ClientConnection.class.getName());
  private static final int NETWORK_BYTES = 8;

  private enum Phase {
    /** No request is under way, or its head is not complete. */
    RESTING,
    /** A request is being answered. */
    SERVING,
    /** It carries another protocol now. */
    TAKEN_OVER,
    /** The last reply was given; what still comes is thrown away. */
    DISCARDING
  }

  private final Connections all;
  private final Channel channel;
  private final String address;
  private final ReadSize reads;
  private Phase phase = Phase.RESTING;
  private volatile long restingSince = Math.max(1, System.nanoTime());
  private @Nullable Future<?> limit;
  private boolean body;
  private volatile boolean bodyRead;
  private long bytes;
  private int request;

  ClientConnection(Connections all, Channel channel, ReadSize reads) {
    this.all = all;
    this.channel = channel;
    this.reads = reads;
    this.address = network(channel);
    channel.attr(KEY).set(this);
  }

  /**
   * What looks after a connection.
   *
   * @param connection of a client
   * @return the one that was put there when it was accepted
   * @throws IllegalStateException if no request on it passed {@link RequestBounds}
   */
  public static ClientConnection of(HttpConnection connection) {
    ClientConnection found = channel(connection).attr(KEY).get();
    if (found == null) {
      throw new IllegalStateException("a connection without its bounds");
    }
    return found;
  }

  /**
   * The same; where Netty does not see {@link ConnectionExtension}, such as in the framework's
   * tests, a connection is bounded from its first request.
   */
  static ClientConnection of(HttpConnection connection, Connections otherwise) {
    Channel channel = channel(connection);
    ClientConnection found = channel.attr(KEY).get();
    if (found == null) {
      found = new ClientConnection(otherwise, channel, new ReadSize());
      channel.pipeline().addFirst(found);
    }
    return found;
  }

  private static Channel channel(HttpConnection connection) {
    return ((ConnectionBase) connection).channelHandlerContext().channel();
  }

  /**
   * The client's address; of IPv6 the network of 64 bits, all of which one client can have.
   *
   * @return for counting, not for showing
   */
  public String address() {
    return address;
  }

  /** Since when it does nothing, as {@link System#nanoTime}; 0 while it is served. */
  long restingSince() {
    return restingSince;
  }

  /** Somebody reads the request's body now, so that as much may come as is taken. */
  public void bodyFlows() {
    onLoop(
        () -> {
          body = true;
          reads.small(false);
        });
  }

  /**
   * The request's body was read to its end: what comes from here on is sent ahead of the reply.
   * Callable on any thread, before the reply.
   */
  public void bodyRead() {
    bodyRead = true;
    onLoop(
        () -> {
          body = false;
          reads.small(true);
        });
  }

  /** Whether somebody said so. */
  boolean wasRead() {
    return bodyRead;
  }

  /** Its body waits for whoever reads it: only little more is read meanwhile. */
  public void bodyWaits() {
    onLoop(() -> reads.small(true));
  }

  /** It speaks another protocol from now on, which others look after. */
  public void takenOver() {
    onLoop(
        () -> {
          phase = Phase.TAKEN_OVER;
          restingSince = 0;
          reads.small(false);
          endLimit();
        });
  }

  /** A request's head is complete. Returns the request's number on this connection. */
  int begin() {
    phase = Phase.SERVING;
    restingSince = 0;
    bytes = 0;
    body = false;
    bodyRead = false;
    reads.small(true);
    endLimit();
    if (request == 0) {
      all.heard(this);
    }
    return ++request;
  }

  /**
   * A request was answered, or its client is gone. Callable on any thread.
   *
   * @param number that {@link #begin} gave
   * @param rest whether some of its body was not read
   */
  void end(int number, boolean rest) {
    onLoop(
        () -> {
          if (number == request && phase == Phase.SERVING) {
            if (rest) {
              discard();
            } else {
              rest();
            }
          }
        });
  }

  /** Closes, unless a request has come meanwhile. Callable on any thread. */
  void dropIdle() {
    onLoop(
        () -> {
          if (restingSince != 0) {
            drop();
          }
        });
  }

  private void drop() {
    var _ = channel.close();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (channel.isActive()) {
      all.opened(this);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    endLimit();
    all.closed(this);
    super.channelInactive(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    int length = message instanceof ByteBuf data ? data.readableBytes() : 0;
    if (allowed(length)) {
      super.channelRead(context, message);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private boolean allowed(int length) {
    switch (phase) {
      case RESTING -> limitHead();
      case SERVING -> {
        bytes += body ? 0 : length;
        if (bytes > all.limits().aheadBytes()) {
          drop();
          return false;
        }
      }
      case TAKEN_OVER -> {}
      case DISCARDING -> {
        bytes += length;
        if (bytes > all.limits().lateBytes()) {
          drop();
        }
        return false;
      }
    }
    return true;
  }

  private void rest() {
    phase = Phase.RESTING;
    restingSince = Math.max(1, System.nanoTime());
    reads.small(true);
  }

  /** The client gets to see the reply and its end, also where it sends all before it reads. */
  private void discard() {
    phase = Phase.DISCARDING;
    restingSince = Math.max(1, System.nanoTime());
    bytes = 0;
    channel.config().setAutoRead(true);
    var _ = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> afterReply());
  }

  private void afterReply() {
    limit(all.limits().late());
    if (channel.pipeline().get("ssl") == null && channel instanceof DuplexChannel duplex) {
      var _ = duplex.shutdownOutput();
    }
  }

  private void limitHead() {
    if (limit == null) {
      limit(all.limits().head());
    }
  }

  private void limit(Duration time) {
    endLimit();
    if (channel.isOpen()) {
      limit = channel.eventLoop().schedule(this::drop, time.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void endLimit() {
    Future<?> set = limit;
    limit = null;
    if (set != null) {
      set.cancel(false);
    }
  }

  private void onLoop(Runnable action) {
    if (channel.eventLoop().inEventLoop()) {
      action.run();
    } else {
      channel.eventLoop().execute(action);
    }
  }

  private static String network(Channel channel) {
    InetAddress remote =
        channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null;
    return switch (remote) {
      case null -> "local";
      case Inet6Address six ->
          HexFormat.of().formatHex(Arrays.copyOf(six.getAddress(), NETWORK_BYTES));
      default -> remote.getHostAddress();
    };
  }
}
