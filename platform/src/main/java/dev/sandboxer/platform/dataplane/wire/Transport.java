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
          bare(host),
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
   * Streams through another node, which alone reaches the sandbox.
   *
   * @param node its id
   * @param url of its listener, {@code http} or {@code https}, without a path
   */
  record Peer(String node, URI url) implements Transport {

    private static final int HTTP = 80;

    boolean encrypted() {
      return "https".equals(url.getScheme());
    }

    String host() {
      return bare(url.getHost());
    }

    int port() {
      int usual = encrypted() ? Tls.HTTPS : HTTP;
      return url.getPort() < 0 ? usual : url.getPort();
    }
  }

  /**
   * The sandbox cannot be reached at present.
   *
   * @param reason for a person, as it goes on after "cannot be reached:"
   */
  record Unreachable(String reason) implements Transport {}

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

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
