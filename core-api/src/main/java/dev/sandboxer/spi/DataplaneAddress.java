package dev.sandboxer.spi;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

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
   * An HTTPS address. Promises of the platform:
   *
   * <ol>
   *   <li>It connects with TLS 1.2 or 1.3 and checks the server as {@link #trust()} says before it
   *       sends a byte of a request.
   *   <li>Each request goes to {@code base}'s path followed by boxd's own path ({@code /v1/...}),
   *       with {@code base}'s host in {@code Host}, with each of {@code headers}, and with the
   *       relay's token in {@code Authorization}. No redirect is followed.
   *   <li>The headers are sent to this address alone and never logged.
   * </ol>
   *
   * <p>An edge in between has to pass HTTP/1.1 and WebSocket, both ways as they come, and the
   * header {@code Authorization} as it is.
   *
   * @param base scheme {@code https}, a host, and optionally a port and a path
   * @param headers to send with each request, secret; none that frames a request, and not {@code
   *     Host} or {@code Authorization}
   * @param trust how the platform knows the server
   */
  record HttpsBase(URI base, Map<String, String> headers, Trust trust) implements DataplaneAddress {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,128}");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]{0,8192}");
    private static final Set<String> OURS =
        Set.of(
            "authorization",
            "connection",
            "content-length",
            "content-type",
            "expect",
            "host",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /** Checks the parts and keeps an immutable copy. */
    public HttpsBase {
      headers = Map.copyOf(headers);
      boolean plain =
          base.getRawQuery() == null
              && base.getRawFragment() == null
              && base.getRawUserInfo() == null;
      if (!"https".equals(base.getScheme()) || base.getHost() == null || !plain) {
        throw new IllegalArgumentException(
            "a base must be https://HOST[:PORT][/PATH], without user, query and fragment");
      }
      headers.forEach(HttpsBase::check);
    }

    private static void check(String name, String value) {
      if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
        throw new IllegalArgumentException(
            "header '" + name + "' must have letters, digits, - and _, and a value of ASCII");
      }
      String lower = name.toLowerCase(Locale.ROOT);
      if (OURS.contains(lower) || lower.startsWith("sec-websocket-")) {
        throw new IllegalArgumentException("header '" + name + "' is set by the platform");
      }
    }

    /** Without headers and path: providers put secrets in both. */
    @Override
    public String toString() {
      return "HttpsBase[host=" + base.getHost() + ", trust=" + trust + "]";
    }
  }

  /** How the platform knows the server behind an {@link HttpsBase}. */
  enum Trust {
    /**
     * boxd itself ends TLS, with the certificate of {@link Daemon#configWithTls()}. Its public key
     * counts, the host's name does not. Nothing in between may end TLS.
     */
    PINNED,
    /**
     * A provider's edge ends TLS, with a certificate for the host's name that the platform's
     * authorities have signed: those of Java, and those that the operator added. Behind it boxd
     * listens plainly, so the provider's own network sees what is sent.
     */
    AUTHORITIES
  }

  /**
   * Streams that the extension opens itself, such as through SSH or a port-forward. Each carries
   * one connection to boxd, which listens plainly.
   *
   * @param opener opens one stream a connection
   */
  record Streams(ByteStreamOpener opener) implements DataplaneAddress {}
}
