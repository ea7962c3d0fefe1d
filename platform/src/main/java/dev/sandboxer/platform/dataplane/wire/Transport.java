package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import dev.sandboxer.spi.DataplaneAddress.UnixSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** By what bytes reach a boxd. {@link Connector} is the one place that tells the kinds apart. */
public sealed interface Transport {

  /**
   * What {@code Host} says.
   *
   * @return a host, with its port where that is not the usual one
   */
  default String authority() {
    return "boxd";
  }

  /**
   * What stands before the path of each request.
   *
   * @return empty, or from a slash on and without one at its end
   */
  default String prefix() {
    return "";
  }

  /**
   * What each request carries besides its own headers.
   *
   * @return checked names and values
   */
  default Map<String, String> headers() {
    return Map.of();
  }

  /**
   * A Unix socket of this node.
   *
   * @param path of the socket
   */
  record Unix(Path path) implements Transport {}

  /**
   * TLS over TCP.
   *
   * @param host name or address, IPv6 without brackets
   * @param port of the server
   * @param authority for {@code Host}
   * @param prefix before each path
   * @param headers of each request, secret
   * @param trust how the server is known
   */
  record Tls(
      String host,
      int port,
      String authority,
      String prefix,
      Map<String, String> headers,
      Trust trust)
      implements Transport {

    private static final int HTTPS = 443;

    static Tls of(HttpsBase address) {
      URI base = address.base();
      String host = base.getHost();
      String path = base.getRawPath() == null ? "" : base.getRawPath();
      return new Tls(
          host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
          base.getPort() < 0 ? HTTPS : base.getPort(),
          base.getPort() < 0 ? host : host + ":" + base.getPort(),
          path.endsWith("/") ? path.substring(0, path.length() - 1) : path,
          address.headers(),
          address.trust());
    }

    /** Without the headers and the path, in which there may be secrets. */
    @Override
    public String toString() {
      return "Tls[" + authority + ", " + trust + "]";
    }
  }

  /**
   * Streams of an extension.
   *
   * @param opener of one a connection
   */
  record Opened(ByteStreamOpener opener) implements Transport {}

  /**
   * The transport to an address.
   *
   * @param address of an extension
   * @return where to connect
   */
  static Transport of(DataplaneAddress address) {
    return switch (address) {
      case UnixSocket socket -> new Unix(socket.path());
      case HttpsBase base -> Tls.of(base);
      case Streams streams -> new Opened(streams.opener());
    };
  }
}
