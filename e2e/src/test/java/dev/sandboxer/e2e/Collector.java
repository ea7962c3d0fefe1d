package dev.sandboxer.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A receiver of traces, OTLP over HTTP with protobuf, that keeps what it gets, or refuses it all.
 */
final class Collector implements AutoCloseable {

  private final HttpServer server;
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final int status;

  private Collector(int port, int status) throws IOException {
    this.status = status;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  static Collector start() {
    return at(FreePort.find());
  }

  /** One on a port that was another one's before. */
  static Collector at(int port) {
    return answering(port, 200);
  }

  /** One that answers with a status; 0 ends the connection without an answer. */
  static Collector answering(int port, int status) {
    try {
      return new Collector(port, status);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  /** How many batches it did not take. */
  int refused() {
    return refused.get();
  }

  List<Span> spans() {
    return List.copyOf(spans);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (status != 200) {
        refused.incrementAndGet();
        refuse(exchange);
        return;
      }
      ExportTraceServiceRequest request =
          ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
      for (ResourceSpans resource : request.getResourceSpansList()) {
        for (ScopeSpans scope : resource.getScopeSpansList()) {
          spans.addAll(scope.getSpansList());
        }
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void refuse(HttpExchange exchange) throws IOException {
    if (status != 0) {
      var _ = exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, -1);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
