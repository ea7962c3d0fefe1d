package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Docker Engine on its socket, in the few requests that a look at it needs: HTTP/1.0, where a
 * reply ends with its connection.
 */
record EngineSocket(Path path, ObjectMapper json) {
  static final String DEFAULT = "/var/run/docker.sock";
  private static final String SCHEME = "unix://";
  private static final String API = "/v1.41";
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MOST_BYTES = 4 << 20;

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param body null in JSON where there is none
   */
  record Answer(int status, JsonNode body) {
    boolean ok() {
      return status >= 200 && status < 300;
    }

    String message() {
      return body.path("message").asText("HTTP " + status);
    }
  }

  /** By the value of SANDBOXER_DOCKER_HOST; null if that is no Unix socket. */
  static @Nullable EngineSocket of(String host, ObjectMapper json) {
    String given = host.isBlank() ? SCHEME + DEFAULT : host;
    return given.startsWith(SCHEME + "/")
        ? new EngineSocket(Path.of(given.substring(SCHEME.length())), json)
        : null;
  }

  Answer get(String target) throws IOException {
    return send("GET", target, "");
  }

  Answer post(String target, String body) throws IOException {
    return send("POST", target, body);
  }

  Answer delete(String target) throws IOException {
    return send("DELETE", target, "");
  }

  private Answer send(String method, String target, String body) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
      Thread.ofVirtual().start(() -> closeAfterLimit(channel));
      write(channel, method, target, body.getBytes(StandardCharsets.UTF_8));
      return read(Channels.newInputStream(channel).readNBytes(MOST_BYTES));
    } catch (AsynchronousCloseException e) {
      throw new IOException("no answer within " + LIMIT.toSeconds() + " s", e);
    }
  }

  private static void closeAfterLimit(SocketChannel channel) {
    try (channel) {
      Thread.sleep(LIMIT);
    } catch (InterruptedException | IOException e) {
      // Closed is all that it was to be.
    }
  }

  private static void write(SocketChannel channel, String method, String target, byte[] body)
      throws IOException {
    String head =
        "%s %s%s HTTP/1.0\r\nHost: docker\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, API, target, body.length);
    byte[] start = head.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer all = ByteBuffer.allocate(start.length + body.length).put(start).put(body).flip();
    while (all.hasRemaining()) {
      channel.write(all);
    }
  }

  private Answer read(byte[] reply) throws IOException {
    String text = new String(reply, StandardCharsets.UTF_8);
    int end = text.indexOf("\r\n\r\n");
    String[] status = text.split("[ \r]", 3);
    if (end < 0 || !text.startsWith("HTTP/") || !status[1].matches("\\d{3}")) {
      throw new IOException("what answers there is not a Docker Engine");
    }
    return new Answer(Integer.parseInt(status[1]), json.readTree(text.substring(end)));
  }
}
