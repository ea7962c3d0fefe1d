package dev.sandboxer.platform.dataplane;

import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.DataplaneAddress.UnixSocket;
import dev.sandboxer.testing.faulty.SocketOpener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Measures what the relay costs, over a bare socket of the same boxd in the same run. A program, no
 * test: its figures depend on the machine. Prints one line a figure.
 */
final class RelayBench {

  private static final int WARM_UP = 20_000;
  private static final int ROUNDS = 20_000;
  private static final int EXEC_ROUNDS = 1_000;
  private static final int SIZE = 100_000_000;
  private static final int TRANSFERS = 7;

  private final RelayHarness relay = new RelayHarness();
  private final Via via;
  private final RealBoxd boxd;

  private RelayBench(Via via) {
    this.via = via;
    boxd = RealBoxd.start(via, relay.keys, relay.issuer, RelayHarness.ID, 1);
  }

  /**
   * Runs all.
   *
   * @param arguments the transport, such as {@code TLS}; the Unix socket if there is none
   * @throws Exception if something does not answer
   */
  public static void main(String... arguments) throws Exception {
    new RelayBench(arguments.length == 0 ? Via.UNIX : Via.valueOf(arguments[0])).run();
    System.exit(0);
  }

  private void run() throws Exception {
    relay.boxdClient.awaitHealth(RelayHarness.ID, 1, boxd.address(), Duration.ofSeconds(20));
    relay.boxdClient.configure(
        RelayHarness.ID, 1, boxd.address(), Map.of(), 3600, Duration.ofSeconds(20));
    relay.put(1, 0, boxd.address());
    try (Line bare = bare();
        Line relayed = relayed()) {
      small(bare, relayed);
      exec(bare, relayed);
    }
    transfers();
    if (via == Via.TLS) {
      print("100 MB, two TLS sockets of the JDK MB/s", jdk());
    }
    boxd.close();
    relay.close();
  }

  private void small(Line bare, Line relayed) throws IOException {
    String tail = "/v1/health HTTP/1.1\r\nHost: localhost\r\n";
    byte[] direct = ascii("GET " + tail + "\r\n");
    byte[] through = ascii("GET /dp/" + RelayHarness.ID + tail + auth() + "\r\n");
    bare.p50(direct, WARM_UP);
    relayed.p50(through, WARM_UP);
    double floor = bare.p50(direct, ROUNDS);
    double cost = relayed.p50(through, ROUNDS);
    double again = bare.p50(direct, ROUNDS);
    print("small request, bare socket p50 ms", Math.min(floor, again));
    print("small request, relay p50 ms", cost);
    print("relay's own cost p50 ms", cost - Math.min(floor, again));
  }

  private void exec(Line bare, Line relayed) throws IOException {
    String body = "{\"command\":[\"true\"]}";
    String head = "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
    String token =
        relay
            .minter
            .relay(RelayHarness.ID, 1, dev.sandboxer.platform.token.Capability.EXEC)
            .value();
    String own = "Host: localhost\r\nAuthorization: Bearer " + token + "\r\n";
    byte[] direct = ascii("POST /v1/exec HTTP/1.1\r\n" + own + head + body);
    byte[] through = ascii(request("POST", "/v1/exec") + head + body);
    bare.p50(direct, EXEC_ROUNDS);
    relayed.p50(through, EXEC_ROUNDS);
    print("exec true, bare socket p50 ms", bare.p50(direct, EXEC_ROUNDS));
    print("exec true, relay p50 ms", relayed.p50(through, EXEC_ROUNDS));
  }

  private void transfers() throws IOException {
    String up = "/v1/files/upload?path=big";
    String down = "/v1/files/download?path=big";
    double upBest = 0;
    double downBest = 0;
    for (int i = 0; i < TRANSFERS; i++) {
      try (Line line = relayed()) {
        upBest = Math.max(upBest, line.send(ascii(request("POST", up) + length()), SIZE));
        downBest = Math.max(downBest, line.receive(ascii(request("GET", down) + "\r\n")));
      }
    }
    print("100 MB up, relay MB/s", upBest);
    print("100 MB down, relay MB/s", downBest);
    bareTransfers(up, down);
  }

  private void bareTransfers(String up, String down) throws IOException {
    double upBest = 0;
    double downBest = 0;
    for (int i = 0; i < TRANSFERS; i++) {
      try (Line line = bare()) {
        upBest = Math.max(upBest, line.send(ascii(own("POST", up, true) + length()), SIZE));
        downBest = Math.max(downBest, line.receive(ascii(own("GET", down, false) + "\r\n")));
      }
    }
    print("100 MB up, bare socket MB/s", upBest);
    print("100 MB down, bare socket MB/s", downBest);
  }

  private String own(String method, String path, boolean write) {
    dev.sandboxer.platform.token.Capability capability =
        write
            ? dev.sandboxer.platform.token.Capability.FS_WRITE
            : dev.sandboxer.platform.token.Capability.FS_READ;
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + relay.minter.relay(RelayHarness.ID, 1, capability).value()
        + "\r\n";
  }

  private static String length() {
    return "Content-Length: " + SIZE + "\r\n\r\n";
  }

  private String request(String method, String path) {
    return method + " /dp/" + RelayHarness.ID + path + " HTTP/1.1\r\nHost: localhost\r\n" + auth();
  }

  private String auth() {
    return "Authorization: Bearer " + relay.allToken() + "\r\n";
  }

  private Line bare() throws IOException {
    switch (boxd.address()) {
      case UnixSocket unix -> {
        return line(SocketChannel.open(UnixDomainSocketAddress.of(unix.path())));
      }
      case Streams streams -> {
        SocketOpener opener =
            streams.opener() instanceof Via.BehindPeer(SocketOpener server)
                ? server
                : (SocketOpener) streams.opener();
        return line(SocketChannel.open(opener.server()));
      }
      case HttpsBase base -> {
        return line(tls(base.base().getPort()));
      }
    }
  }

  private static Line line(SocketChannel channel) {
    return new Line(Channels.newInputStream(channel), Channels.newOutputStream(channel), channel);
  }

  private static Line line(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return new Line(socket.getInputStream(), socket.getOutputStream(), socket);
  }

  /** A socket that trusts this boxd's certificate. */
  private static Socket tls(int port) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(
          "boxd", TestCertificates.certificate(TestCertificates.ALL.pair(RelayHarness.ID, 1)));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, trust.getTrustManagers(), null);
      return context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** From one TLS socket of the JDK to another one, with nothing around them. */
  private static double jdk() throws IOException {
    double best = 0;
    SSLContext context = TestCertificates.server(TestCertificates.ALL.pair(RelayHarness.ID, 1));
    try (ServerSocket server = HostileBoxd.listening(context)) {
      Thread.ofPlatform().daemon().start(() -> pour(server));
      for (int i = 0; i < TRANSFERS; i++) {
        try (Line line = line(tls(server.getLocalPort()))) {
          best = Math.max(best, line.receive(ascii("GET\r\n\r\n")));
        }
      }
    }
    return best;
  }

  private static void pour(ServerSocket server) {
    byte[] block = new byte[256 * 1024];
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        var _ = socket.getInputStream().read(block);
        OutputStream out = socket.getOutputStream();
        out.write(ascii("HTTP/1.1 200 OK\r\n" + length()));
        for (int left = SIZE; left > 0; left -= Math.min(left, block.length)) {
          out.write(block, 0, Math.min(left, block.length));
        }
        var _ = socket.getInputStream().read();
      } catch (IOException closed) {
        // By the reader, or the end.
      }
    }
  }

  private Line relayed() throws IOException {
    return line(new Socket(InetAddress.getLoopbackAddress(), relay.port()));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void print(String what, double figure) {
    System.out.printf("%-36s %10.3f%n", what, figure);
  }

  /** One kept connection, blocking, with as little of its own as possible. */
  private record Line(InputStream in, OutputStream out, AutoCloseable socket)
      implements AutoCloseable {

    double p50(byte[] request, int rounds) throws IOException {
      long[] nanos = new long[rounds];
      byte[] buffer = new byte[16 * 1024];
      for (int i = 0; i < rounds; i++) {
        long start = System.nanoTime();
        out.write(request);
        reply(buffer);
        nanos[i] = System.nanoTime() - start;
      }
      Arrays.sort(nanos);
      return nanos[rounds / 2] / 1e6;
    }

    double send(byte[] head, int size) throws IOException {
      byte[] block = new byte[256 * 1024];
      long start = System.nanoTime();
      out.write(head);
      for (int left = size; left > 0; left -= Math.min(left, block.length)) {
        out.write(block, 0, Math.min(left, block.length));
      }
      reply(new byte[16 * 1024]);
      return rate(size, start);
    }

    double receive(byte[] request) throws IOException {
      byte[] buffer = new byte[256 * 1024];
      long start = System.nanoTime();
      out.write(request);
      long total = reply(buffer);
      return rate(total, start);
    }

    /** Reads one reply and gives the length of its body. */
    private long reply(byte[] buffer) throws IOException {
      int have = 0;
      int end = -1;
      while (end < 0) {
        have += readSome(buffer, have);
        end = new String(buffer, 0, have, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
      }
      String head = new String(buffer, 0, end, StandardCharsets.ISO_8859_1);
      if (!head.startsWith("HTTP/1.1 2")) {
        throw new IOException("unexpected: " + head);
      }
      long length = length(head);
      long left = length - (have - end - 4);
      while (left > 0) {
        left -= readSome(buffer, 0);
      }
      return length;
    }

    private int readSome(byte[] buffer, int at) throws IOException {
      int count = in.read(buffer, at, buffer.length - at);
      if (count < 0) {
        throw new IOException("closed");
      }
      return count;
    }

    private static long length(String head) {
      return head.lines()
          .filter(line -> line.regionMatches(true, 0, "content-length:", 0, 15))
          .mapToLong(line -> Long.parseLong(line.substring(15).strip()))
          .findFirst()
          .orElse(0);
    }

    private static double rate(long bytes, long start) {
      return bytes / 1e6 / ((System.nanoTime() - start) / 1e9);
    }

    @Override
    public void close() throws IOException {
      try {
        socket.close();
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
