package dev.sandboxer.bench.event;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A State Hub in this process that keeps nothing but a ledger, with the faults of the one in {@code
 * tools/}.
 */
final class Hub implements AutoCloseable {

  /** How it takes entries. */
  enum Mode {
    OK("that takes all"),
    DOWN("that is down"),
    SLOW("that takes half a second"),
    ERROR_500("that answers 500"),
    ERROR_429("that answers 429"),
    GARBAGE("that answers garbage"),
    CLOSING("that closes connections");

    private final String told;

    Mode(String told) {
      this.told = told;
    }

    /** In words. */
    String told() {
      return told;
    }

    /** For a row's id. */
    String id() {
      return name().toLowerCase(Locale.ROOT).replace("error_", "");
    }
  }

  private static final int BACKLOG = 1024;
  private static final int SLOW_MILLIS = 500;

  private final Clock clock;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private final int port;
  private ServerSocket listener;
  private volatile Mode mode = Mode.OK;
  private volatile Ledger ledger = new Ledger();

  /** Listens on a free port of this machine. */
  Hub(Clock clock) throws IOException {
    this.clock = clock;
    this.listener = listen(0);
    this.port = listener.getLocalPort();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Everything from now on goes into this one. */
  Ledger begin() {
    ledger = new Ledger();
    return ledger;
  }

  /** From now on it behaves like this. */
  synchronized void be(Mode wanted) throws IOException {
    boolean wasDown = mode == Mode.DOWN;
    mode = wanted;
    if (wanted == Mode.DOWN) {
      listener.close();
      hangUp();
    } else if (wasDown) {
      listener = listen(port);
    }
  }

  private ServerSocket listen(int wanted) throws IOException {
    ServerSocket socket = new ServerSocket(wanted, BACKLOG, InetAddress.getLoopbackAddress());
    var _ = Thread.ofVirtual().start(() -> accept(socket));
    return socket;
  }

  private void accept(ServerSocket socket) {
    try {
      while (true) {
        Socket client = socket.accept();
        client.setTcpNoDelay(true);
        clients.add(client);
        var _ = Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException e) {
      // It is down.
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = new BufferedInputStream(client.getInputStream());
      while (take(in, client.getOutputStream())) {
        // The next one.
      }
    } catch (IOException | InterruptedException e) {
      // The platform has hung up, or the hub is down.
    } finally {
      clients.remove(client);
    }
  }

  private boolean take(InputStream in, OutputStream out) throws IOException, InterruptedException {
    int length = bodyLength(in);
    if (length < 0) {
      return false;
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    switch (mode) {
      case DOWN, CLOSING -> {
        return false;
      }
      case GARBAGE -> {
        out.write("%PDF-1.7 this is no HTTP\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        return false;
      }
      case ERROR_500 -> reply(out, "500 Fault\r\n");
      case ERROR_429 -> reply(out, "429 Fault\r\nRetry-After: 1\r\n");
      case SLOW -> {
        Thread.sleep(SLOW_MILLIS);
        record(body, out);
      }
      case OK -> record(body, out);
    }
    return true;
  }

  private void record(String body, OutputStream out) throws IOException {
    Ledger present = ledger;
    try {
      present.add(Told.in(body), clock.instant());
    } catch (IOException e) {
      present.unreadable(String.valueOf(e.getMessage()));
    }
    reply(out, "201 Created\r\n");
  }

  private static void reply(OutputStream out, String head) throws IOException {
    String text =
        "HTTP/1.1 " + head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Of the next request; -1 at the end of the connection. */
  private static int bodyLength(InputStream in) throws IOException {
    int length = -1;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String[] parts = line.toLowerCase(Locale.ROOT).split(":", 2);
      if (parts[0].equals("content-length")) {
        length = Integer.parseInt(parts[1].strip());
      }
    }
    return length;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      bytes.write(next);
    }
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  private void hangUp() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    listener.close();
    hangUp();
  }
}
