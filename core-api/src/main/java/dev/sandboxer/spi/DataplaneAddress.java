package dev.sandboxer.spi;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** Where the platform reaches boxd. */
public sealed interface DataplaneAddress {

  /**
   * A Unix socket on this node.
   *
   * @param path absolute, at most 107 bytes, in a folder that only the platform's user may write
   */
  record UnixSocket(Path path) implements DataplaneAddress {

    private static final int MAX_PATH_BYTES = 107;

    /** Checks the path. */
    public UnixSocket {
      if (!path.isAbsolute()) {
        throw new IllegalArgumentException("socket path " + path + " must be absolute");
      }
      if (path.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8).length
          > MAX_PATH_BYTES) {
        throw new IllegalArgumentException(
            "socket path " + path + " is longer than " + MAX_PATH_BYTES + " bytes");
      }
    }
  }

  /**
   * A provider's HTTPS address.
   *
   * @param base its URL
   * @param headers to send with each request, secret
   */
  record HttpsBase(URI base, Map<String, String> headers) implements DataplaneAddress {

    /** Keeps an immutable copy. */
    public HttpsBase {
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return "HttpsBase[base=" + base + "]";
    }
  }

  /**
   * Streams that the extension opens itself, such as through SSH.
   *
   * @param opener opens one stream a connection
   */
  record Streams(ByteStreamOpener opener) implements DataplaneAddress {}
}
