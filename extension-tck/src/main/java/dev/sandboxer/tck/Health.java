package dev.sandboxer.tck;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Asks boxd how it is, over any kind of address. */
final class Health {
  private static final String PATH = "/v1/health";
  private static final String REQUEST =
      "GET " + PATH + " HTTP/1.1\r\nHost: boxd\r\nConnection: close\r\n\r\n";
  private static final int MOST_BYTES = 16 * 1024;

  private Health() {}

  /** Its answer, head and body. */
  static String ask(DataplaneAddress address, Call call) throws IOException, ExtensionException {
    return switch (address) {
      case DataplaneAddress.UnixSocket(Path path) -> overSocket(path);
      case DataplaneAddress.HttpsBase https -> overHttps(https);
      case DataplaneAddress.Streams streams -> overStream(streams, call);
    };
  }

  private static String overSocket(Path path) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
      channel.write(ByteBuffer.wrap(REQUEST.getBytes(US_ASCII)));
      return read(channel::read);
    }
  }

  private static String overStream(DataplaneAddress.Streams streams, Call call)
      throws IOException, ExtensionException {
    try (ByteStream stream = streams.opener().open(call)) {
      stream.write(ByteBuffer.wrap(REQUEST.getBytes(US_ASCII)));
      return read(stream::read);
    }
  }

  private static String overHttps(DataplaneAddress.HttpsBase https) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(https.base().toString().replaceFirst("/$", "") + PATH));
    https.headers().forEach(request::header);
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.ofString()).body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private interface Source {
    int read(ByteBuffer target) throws IOException;
  }

  private static String read(Source source) throws IOException {
    ByteBuffer answer = ByteBuffer.allocate(MOST_BYTES);
    while (answer.hasRemaining() && source.read(answer) >= 0) {}
    return new String(answer.array(), 0, answer.position(), UTF_8);
  }
}
