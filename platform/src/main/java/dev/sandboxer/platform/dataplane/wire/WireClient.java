package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStreamOpener;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.TrustManagerFactory;

/**
 * Opens exchanges. Each event loop has connections of its own, so that a request and its reply
 * never change threads.
 */
public final class WireClient {

  /** How long a request waits for one of the streams that its extension allows. */
  public static final Duration SLOT_LIMIT = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final Connector connector;
  private final Map<Thread, WirePool> pools = new ConcurrentHashMap<>();

  /**
   * Makes a client.
   *
   * @param vertx with the native transport
   * @param check of Unix sockets before connecting
   * @param pins of boxds that speak TLS
   * @param authorities whose signatures count for other servers, empty for those that Java trusts
   * @param peers what other nodes ask for a token
   * @param slotLimit how long a request waits for one of the streams that its extension allows
   * @throws IllegalStateException if Unix sockets cannot be used
   */
  public WireClient(
      Vertx vertx,
      SocketCheck check,
      Pins pins,
      Optional<TrustManagerFactory> authorities,
      PeerTokens peers,
      Duration slotLimit) {
    if (!vertx.isNativeTransportEnabled()) {
      throw new IllegalStateException(
          "Unix sockets need Netty's native transport, which did not load: "
              + "is this Linux on amd64 or arm64, and may libraries be loaded from the temporary"
              + " folder (no noexec)?");
    }
    this.vertx = vertx;
    StreamSlots slots = new StreamSlots();
    TlsConnector tls = new TlsConnector(vertx, pins, authorities);
    this.connector =
        new Connector(
            vertx,
            check,
            tls,
            new StreamConnector(vertx, slots, slotLimit, this::closeIdle),
            new PeerConnector(vertx, peers, tls.signed()),
            slots);
  }

  private void closeIdle(ByteStreamOpener opener) {
    pools.values().forEach(pool -> pool.closeIdle(opener));
  }

  /**
   * Begins an exchange. Must run on an event loop; both handlers run on the same, the first at once
   * if a connection is idle.
   *
   * @param endpoint whom to ask
   * @param head what to ask; the head is sent with the body's first part, or its end
   * @param reply takes the reply
   * @param opened gets the exchange
   * @param failed hears that no connection could be made; the reply handler hears nothing then
   */
  public void begin(
      Endpoint endpoint,
      RequestHead head,
      ReplyHandler reply,
      Handler<Exchange> opened,
      Handler<WireException> failed) {
    pool()
        .acquire(
            endpoint, connection -> opened.handle(new Exchange(connection, head, reply)), failed);
  }

  /**
   * Opens a stream that belongs to no exchange. Must run on an event loop; both handlers run on the
   * same.
   *
   * @param endpoint to whom
   * @param opened gets the stream
   * @param failed hears that no connection could be made
   */
  public void open(Endpoint endpoint, Handler<WireStream> opened, Handler<WireException> failed) {
    connector.connect(endpoint, context().unwrap(), opened, failed);
  }

  private ContextInternal context() {
    ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
    if (!context.isEventLoopContext() || !context.inThread()) {
      throw new IllegalStateException("streams are opened on event loops only");
    }
    return context;
  }

  private WirePool pool() {
    WirePool pool = pools.get(Thread.currentThread());
    if (pool != null) {
      return pool;
    }
    ContextInternal context = context();
    return pools.computeIfAbsent(
        Thread.currentThread(), on -> new WirePool(vertx, context.unwrap(), connector));
  }
}
