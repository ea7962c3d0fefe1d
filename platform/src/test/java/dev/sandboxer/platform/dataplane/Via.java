package dev.sandboxer.platform.dataplane;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import dev.sandboxer.spi.DataplaneAddress.UnixSocket;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.testing.faulty.SocketOpener;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.util.Map;

/** The transports that the suites of the relay run over. */
enum Via {
  UNIX,
  TLS,
  OPENED,
  PEER;

  private static final int MANY = 1_000;

  /** Where a server is that listens at a socket. */
  DataplaneAddress address(SocketAddress server) {
    return switch (this) {
      case UNIX -> new UnixSocket(((UnixDomainSocketAddress) server).getPath());
      case TLS -> pinned(((InetSocketAddress) server).getPort());
      case OPENED -> new Streams(new SocketOpener(server, MANY));
      case PEER -> new Streams(new BehindPeer(new SocketOpener(server, MANY)));
    };
  }

  /** Marks what {@link RelayHarness#put} puts behind another node. */
  record BehindPeer(SocketOpener server) implements ByteStreamOpener {

    @Override
    public int maxStreams() {
      return server.maxStreams();
    }

    @Override
    public ByteStream open(Call call) throws ExtensionException {
      return server.open(call);
    }
  }

  private static DataplaneAddress pinned(int port) {
    return new HttpsBase(URI.create("https://127.0.0.1:" + port), Map.of(), Trust.PINNED);
  }
}
