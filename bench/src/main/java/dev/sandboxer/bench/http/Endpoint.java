package dev.sandboxer.bench.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A server, the beginning of all paths on it, and the credential to show.
 *
 * @param base for example {@code /v1}; paths are appended to it
 */
public record Endpoint(SocketAddress address, String host, String base, String token) {

  /** A server on a Unix socket. */
  public static Endpoint unix(Path socket, String base, String token) {
    return new Endpoint(UnixDomainSocketAddress.of(socket), "localhost", base, token);
  }

  /** A server on TCP; the URL's path is the base. */
  public static Endpoint tcp(URI url, String token) {
    SocketAddress address = new InetSocketAddress(url.getHost(), url.getPort());
    return new Endpoint(address, url.getAuthority(), url.getPath(), token);
  }

  /** A new connection to it. */
  public Connection connect() throws IOException {
    return new Connection(address);
  }

  /** A GET with further header lines, ready to be written any number of times. */
  public ByteBuffer get(String path, String... headers) {
    return direct(head("GET", path, headers) + "\r\n");
  }

  /** A DELETE with further header lines ({@code "Name: value"}). */
  public ByteBuffer delete(String path, String... headers) {
    return direct(head("DELETE", path, headers) + "\r\n");
  }

  /** A POST of JSON with further header lines. */
  public ByteBuffer post(String path, String json, String... headers) {
    int length = json.getBytes(StandardCharsets.UTF_8).length;
    String more = "Content-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n";
    return direct(head("POST", path, headers) + more + json);
  }

  /** The head of a POST of this many bytes. */
  public ByteBuffer upload(String path, long length) {
    String more =
        "Content-Type: application/octet-stream\r\nContent-Length: " + length + "\r\n\r\n";
    return direct(head("POST", path) + more);
  }

  /** The handshake of a WebSocket with binary frames. */
  ByteBuffer upgrade(String path) {
    return direct(
        head(
                "GET",
                path,
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol: sandboxer.v1.binary")
            + "\r\n");
  }

  /** A PUT of an archive of this many bytes, with the first of them. */
  public ByteBuffer put(String path, ByteBuffer first, long length, String... headers) {
    String more = "Content-Type: application/x-tar\r\nContent-Length: " + length + "\r\n\r\n";
    ByteBuffer head = direct(head("PUT", path, headers) + more);
    return ByteBuffer.allocateDirect(head.remaining() + first.remaining())
        .put(head)
        .put(first.duplicate())
        .flip();
  }

  private String head(String method, String path, String... headers) {
    StringBuilder text = new StringBuilder();
    text.append(method).append(' ').append(base).append(path).append(" HTTP/1.1\r\n");
    text.append("Host: ").append(host).append("\r\n");
    text.append("Authorization: Bearer ").append(token).append("\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.toString();
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
