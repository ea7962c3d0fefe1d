package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStreamOpener;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.SocketAddress;

/** Opens streams. The one place that tells transports apart. */
final class Connector {

  private static final int CONNECT_MILLIS = 2_000;
  private static final int READ_BYTES = 64 * 1024;

  private final Vertx vertx;
  private final SocketCheck check;
  private final NetClient unix;
  private final TlsConnector tls;
  private final StreamConnector streams;
  private final PeerConnector peers;
  private final StreamSlots slots;

  Connector(
      Vertx vertx,
      SocketCheck check,
      TlsConnector tls,
      StreamConnector streams,
      PeerConnector peers,
      StreamSlots slots) {
    this.vertx = vertx;
    this.check = check;
    this.tls = tls;
    this.streams = streams;
    this.peers = peers;
    this.slots = slots;
    this.unix =
        vertx.createNetClient(
            new NetClientOptions()
                .setConnectTimeout(CONNECT_MILLIS)
                .setReceiveBufferSize(READ_BYTES));
  }

  /** Runs on the event loop, and so do both handlers. */
  void connect(
      Endpoint endpoint, Context loop, Handler<WireStream> opened, Handler<WireException> failed) {
    switch (endpoint.transport()) {
      case Transport.Unix to -> unix(to, opened, failed);
      case Transport.Tls to -> tls.connect(endpoint, to, opened, failed);
      case Transport.Opened to -> streams.connect(to.opener(), loop, opened, failed);
      case Transport.Peer to -> peers.connect(endpoint, to, opened, failed);
      case Transport.Unreachable to -> failed.handle(new WireException(to.reason()));
    }
  }

  private void unix(Transport.Unix to, Handler<WireStream> opened, Handler<WireException> failed) {
    try {
      check.check(to.path());
    } catch (WireException e) {
      failed.handle(e);
      return;
    }
    unix.connect(SocketAddress.domainSocketAddress(to.path().toString()))
        .onSuccess(socket -> opened.handle(new SocketStream(vertx, socket)))
        .onFailure(cause -> failed.handle(new WireException("it does not take connections")));
  }

  /** Whether somebody waits for a connection that stands idle here. */
  boolean awaited(Endpoint endpoint) {
    return endpoint.transport() instanceof Transport.Opened to && slots.awaited(to.opener());
  }

  /** Whether the endpoint's connections are streams of that opener. */
  static boolean opens(ByteStreamOpener opener, Endpoint endpoint) {
    return endpoint.transport() instanceof Transport.Opened to && to.opener().equals(opener);
  }
}
