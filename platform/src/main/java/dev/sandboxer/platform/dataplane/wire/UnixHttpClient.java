package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens exchanges. Each event loop has connections of its own, so that a request and its reply
 * never change threads.
 */
public final class UnixHttpClient {

  private static final int CONNECT_MILLIS = 2_000;
  private static final int READ_BYTES = 64 * 1024;

  private final Vertx vertx;
  private final NetClient client;
  private final SocketCheck check;
  private final Map<Thread, WirePool> pools = new ConcurrentHashMap<>();

  /**
   * Makes a client.
   *
   * @param vertx with the native transport
   * @param check of sockets before connecting
   * @throws IllegalStateException if Unix sockets cannot be used
   */
  public UnixHttpClient(Vertx vertx, SocketCheck check) {
    if (!vertx.isNativeTransportEnabled()) {
      throw new IllegalStateException(
          "Unix sockets need Netty's native transport, which did not load: "
              + "is this Linux on amd64 or arm64, and may libraries be loaded from the temporary"
              + " folder (no noexec)?");
    }
    this.vertx = vertx;
    this.check = check;
    this.client =
        vertx.createNetClient(
            new NetClientOptions()
                .setConnectTimeout(CONNECT_MILLIS)
                .setReceiveBufferSize(READ_BYTES));
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

  private WirePool pool() {
    WirePool pool = pools.get(Thread.currentThread());
    if (pool != null) {
      return pool;
    }
    ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
    if (!context.isEventLoopContext() || !context.inThread()) {
      throw new IllegalStateException("exchanges begin on event loops only");
    }
    return pools.computeIfAbsent(
        Thread.currentThread(), on -> new WirePool(vertx, context.unwrap(), client, check));
  }
}
