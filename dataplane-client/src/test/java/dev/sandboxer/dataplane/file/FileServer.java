package dev.sandboxer.dataplane.file;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP server that keeps what comes and answers what was planned, in order. */
final class FileServer implements AutoCloseable {
  private final HttpServer server;
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<byte[]> bodies = new CopyOnWriteArrayList<>();
  private final Deque<Answer> answers = new ArrayDeque<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Answer(int status, byte[] body) {}

  FileServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
  }

  URI base() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");
  }

  FileServer answer(int status, String body) {
    return answer(status, body.getBytes(StandardCharsets.UTF_8));
  }

  FileServer answer(int status, byte[] body) {
    answers.add(new Answer(status, body));
    return this;
  }

  /** Method and address of each request. */
  List<String> calls() {
    return calls;
  }

  /** The last request's body. */
  byte[] bytes() {
    return bodies.getLast();
  }

  String body() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      bodies.add(exchange.getRequestBody().readAllBytes());
      calls.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      Answer answer = answers.remove();
      exchange.sendResponseHeaders(
          answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
      exchange.getResponseBody().write(answer.body());
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
