package dev.sandboxer.ext.docker.wire;

import com.github.dockerjava.transport.DockerHttpClient;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The transport under docker-java. One is made for each call of the platform; closing it cuts
 * whatever is under way, from any thread.
 */
public final class UnixHttpClient implements DockerHttpClient {

  private static final int COPY = 16 * 1024;
  private static final int OK = 200;

  private final Path socket;
  private final Duration patience;
  private final ScheduledExecutorService timer;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Makes a transport.
   *
   * @param socket of the Engine
   * @param patience how long a request may wait for the head of its answer
   * @param timer closes what takes longer
   */
  public UnixHttpClient(Path socket, Duration patience, ScheduledExecutorService timer) {
    this.socket = socket;
    this.patience = patience;
    this.timer = timer;
  }

  /**
   * {@inheritDoc}
   *
   * @throws EngineUnreachableException if there is no answer
   */
  @Override
  public Response execute(Request request) {
    Connection connection = Connection.open(socket);
    open.add(connection);
    if (closed) {
      connection.close();
    }
    ScheduledFuture<?> watch =
        timer.schedule(connection::closeAsLate, patience.toMillis(), TimeUnit.MILLISECONDS);
    try {
      return exchange(request, connection);
    } catch (IOException e) {
      drop(connection);
      throw failure(connection, e);
    } finally {
      watch.cancel(false);
    }
  }

  private Response exchange(Request request, Connection connection) throws IOException {
    byte[] head = head(request).getBytes(StandardCharsets.UTF_8);
    connection.write(head, head.length);
    Head answer = answer(request, connection);
    InputStream stdin = request.hijackedInput();
    if (stdin != null) {
      Thread.ofVirtual().name("docker stdin").start(() -> forward(stdin, connection));
    }
    return new Answer(answer, Body.of(connection, answer, "HEAD".equals(request.method())));
  }

  private static Head answer(Request request, Connection connection) throws IOException {
    try {
      writeBody(request, connection);
    } catch (IOException unread) {
      // An Engine that refuses a request may answer without reading all of it.
      try {
        return Head.read(connection);
      } catch (IOException e) {
        unread.addSuppressed(e);
        throw unread;
      }
    }
    return Head.read(connection);
  }

  private static String head(Request request) {
    StringBuilder head = new StringBuilder();
    head.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\r\n");
    head.append("Host: docker\r\n");
    request.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    if (request.hijackedInput() != null) {
      head.append("Connection: Upgrade\r\nUpgrade: tcp\r\n");
    } else {
      head.append("Connection: close\r\n");
    }
    byte[] bytes = request.bodyBytes();
    if (bytes != null) {
      head.append("Content-Length: ").append(bytes.length).append("\r\n");
    } else if (request.body() != null) {
      head.append("Transfer-Encoding: chunked\r\n");
    } else if ("POST".equals(request.method())) {
      head.append("Content-Length: 0\r\n");
    }
    return head.append("\r\n").toString();
  }

  private static void writeBody(Request request, Connection connection) throws IOException {
    byte[] bytes = request.bodyBytes();
    if (bytes != null) {
      connection.write(bytes, bytes.length);
      return;
    }
    InputStream body = request.body();
    if (body == null) {
      return;
    }
    byte[] buffer = new byte[COPY];
    for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
      if (count > 0) {
        write(connection, Integer.toHexString(count) + "\r\n");
        connection.write(buffer, count);
        write(connection, "\r\n");
      }
    }
    write(connection, "0\r\n\r\n");
  }

  private static void write(Connection connection, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    connection.write(bytes, bytes.length);
  }

  /** Stdin to its end, and then the end itself: a program that reads to the end waits for it. */
  private static void forward(InputStream stdin, Connection connection) {
    byte[] buffer = new byte[COPY];
    try (stdin) {
      for (int count = stdin.read(buffer); count >= 0; count = stdin.read(buffer)) {
        connection.write(buffer, count);
      }
      connection.endOutput();
    } catch (IOException e) {
      // The program has ended; who reads its output sees that.
    }
  }

  private EngineUnreachableException failure(Connection connection, IOException e) {
    Kind kind = Kind.CUT;
    String message = String.valueOf(e.getMessage());
    if (e instanceof NotHttpException) {
      kind = Kind.GARBAGE;
    } else if (connection.late()) {
      kind = Kind.SLOW;
      message = "no answer within " + patience.toSeconds() + " s";
    } else if (closed) {
      message = "the call was cancelled";
    }
    return new EngineUnreachableException(kind, connection.written(), message, e);
  }

  private void drop(Connection connection) {
    connection.close();
    open.remove(connection);
  }

  /** Cuts what is under way; later requests are cut at once. */
  @Override
  public void close() {
    closed = true;
    open.forEach(Connection::close);
  }

  private record Answer(Head head, Body body) implements Response {

    @Override
    public int getStatusCode() {
      return head.upgraded() ? OK : head.status(); // docker-java takes nothing below 200
    }

    @Override
    public Map<String, List<String>> getHeaders() {
      return head.headers();
    }

    @Override
    public @Nullable String getHeader(String name) {
      return head.first(name.toLowerCase(Locale.ROOT)).orElse(null);
    }

    @Override
    public InputStream getBody() {
      return body;
    }

    @Override
    public void close() {
      body.close();
    }
  }
}
