package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A Docker Engine, asked without any code of the product. */
record Engine(Path socket) {

  private static final String SCHEME = "unix://";

  static Engine at(String host) {
    return new Engine(Path.of(host.startsWith(SCHEME) ? host.substring(SCHEME.length()) : host));
  }

  String host() {
    return SCHEME + socket;
  }

  /** Containers of any state whose name has this text in it: their names by their ids. */
  Map<String, String> containers(String text) {
    Map<String, String> names = new TreeMap<>();
    String filter = "{\"name\":[\"" + text + "\"]}";
    for (JsonNode container : list("/containers/json?all=1&filters=" + encoded(filter))) {
      names.put(container.path("Id").asText(), container.path("Names").path(0).asText());
    }
    return names;
  }

  JsonNode container(String id) {
    return list("/containers/" + id + "/json");
  }

  void remove(String id) {
    var _ = send("DELETE", "/containers/" + id + "?force=1&v=1");
  }

  private JsonNode list(String path) {
    try {
      return Api.JSON.readTree(send("GET", path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** HTTP/1.0: the reply ends where the connection ends. */
  String send(String method, String path) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
        throw new IOException("not connected to " + socket);
      }
      String head = method + " /v1.41" + path + " HTTP/1.0\r\nHost: engine\r\n\r\n";
      ByteBuffer bytes = ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        if (channel.write(bytes) < 0) {
          throw new IOException("closed by " + socket);
        }
      }
      String reply =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      return reply.substring(reply.indexOf("\r\n\r\n") + 4);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
