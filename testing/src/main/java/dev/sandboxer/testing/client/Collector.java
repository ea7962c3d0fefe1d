package dev.sandboxer.testing.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandboxer.testing.FreePort;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * A receiver of traces, OTLP over HTTP with protobuf, that keeps what it gets, or refuses it all.
 */
public final class Collector implements AutoCloseable {

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

  public static Collector start() {
    return at(FreePort.find());
  }

  /** One on a port that was another one's before. */
  public static Collector at(int port) {
    return answering(port, 200);
  }

  /** One that answers with a status; 0 ends the connection without an answer. */
  public static Collector answering(int port, int status) {
    try {
      return new Collector(port, status);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /** How many batches it did not take. */
  public int refused() {
    return refused.get();
  }

  public List<Span> spans() {
    return List.copyOf(spans);
  }

  /** What came of a trace, once it has spans of these names. */
  public Trace await(String id, String... names) {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> Trace.of(id, spans), trace -> trace.spans().keySet().containsAll(Set.of(names)));
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
