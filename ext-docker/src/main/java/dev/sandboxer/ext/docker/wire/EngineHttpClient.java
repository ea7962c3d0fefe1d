package dev.sandboxer.ext.docker.wire;

import com.github.dockerjava.transport.DockerHttpClient;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException.Kind;
import dev.sandboxer.spi.ByteStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
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
public final class EngineHttpClient implements DockerHttpClient {

  private static final int COPY = 16 * 1024;
  private static final int OK = 200;
  private static final int MAX_REFUSAL = 4096;
  private static final int LEAST_BYTES_PER_MS = 64;

  private final Dial dial;
  private final Duration patience;
  private final ScheduledExecutorService timer;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Makes connections. */
  @FunctionalInterface
  public interface Dial {
    /**
     * Connects.
     *
     * @return an open stream
     * @throws EngineUnreachableException if there is no way
     */
    ByteStream open();
  }

  /**
   * Makes a transport.
   *
   * @param dial connects
   * @param patience how long a request may wait for the head of its answer
   * @param timer closes what takes longer
   */
  public EngineHttpClient(Dial dial, Duration patience, ScheduledExecutorService timer) {
    this.dial = dial;
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
    Connection connection = connect();
    ScheduledFuture<?> watch = watch(connection, size(request));
    try {
      Head answer = exchange(request, connection);
      return new Answer(answer, Body.of(connection, answer, "HEAD".equals(request.method())));
    } catch (IOException e) {
      drop(connection);
      throw failure(connection, e);
    } catch (EngineUnreachableException e) {
      drop(connection);
      throw e;
    } finally {
      watch.cancel(false);
    }
  }

  /**
   * Sends a request after which the connection belongs to both sides.
   *
   * @param path with the API's version
   * @param json the body
   * @return what comes and goes from now on
   * @throws EngineUnreachableException if there is no answer
   * @throws IOException if the Engine refuses, with its words
   */
  public Hijacked hijack(String path, byte[] json) throws IOException {
    Connection connection = connect();
    ScheduledFuture<?> watch = watch(connection, json.length);
    try {
      Head answer = hijack(path, json, connection);
      if (answer.upgraded()) {
        return new Hijacked(connection, () -> open.remove(connection));
      }
      byte[] said = Body.of(connection, answer, false).readNBytes(MAX_REFUSAL);
      throw new RefusedException(answer.status(), new String(said, StandardCharsets.UTF_8));
    } catch (RefusedException | EngineUnreachableException e) {
      drop(connection);
      throw e;
    } catch (IOException e) {
      drop(connection);
      throw failure(connection, e);
    } finally {
      watch.cancel(false);
    }
  }

  private static Head hijack(String path, byte[] json, Connection connection) throws IOException {
    String head =
        "POST %s HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, json.length);
    byte[] all =
        Arrays.copyOf(head.getBytes(StandardCharsets.US_ASCII), head.length() + json.length);
    System.arraycopy(json, 0, all, head.length(), json.length);
    connection.write(all, all.length);
    return Head.read(connection);
  }

  private Connection connect() {
    Connection connection = new Connection(dial.open());
    open.add(connection);
    if (closed) {
      connection.close();
    }
    return connection;
  }

  /** A large body may take its time on a slow line. */
  private ScheduledFuture<?> watch(Connection connection, int bytes) {
    return timer.schedule(
        connection::closeAsLate,
        patience.toMillis() + bytes / LEAST_BYTES_PER_MS,
        TimeUnit.MILLISECONDS);
  }

  private static int size(Request request) {
    byte[] bytes = request.bodyBytes();
    return bytes == null ? 0 : bytes.length;
  }

  private static Head exchange(Request request, Connection connection) throws IOException {
    byte[] head = head(request).getBytes(StandardCharsets.UTF_8);
    connection.write(head, head.length);
    Head answer = answer(request, connection);
    InputStream stdin = request.hijackedInput();
    if (stdin != null) {
      Thread.ofVirtual().name("docker stdin").start(() -> forward(stdin, connection));
    }
    return answer;
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
