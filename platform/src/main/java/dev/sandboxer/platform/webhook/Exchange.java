package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.delivery.RetryAfter;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;

/**
 * One POST. Its outcome is the status that the receiver answers; of the body a little is read, so
 * that the receiver sees no broken connection, and nothing is kept.
 */
final class Exchange {

  private static final int READ_AT_MOST = 64 << 10;
  private static final long READ_MILLIS = 2_000;

  private final Vertx vertx;
  private final HttpClient client;
  private final Clock clock;
  private final RequestOptions options;
  private final String body;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  Exchange(Vertx vertx, HttpClient client, Clock clock, RequestOptions options, String body) {
    this.vertx = vertx;
    this.client = client;
    this.clock = clock;
    this.options = options;
    this.body = body;
  }

  /** Begins; the next address is tried while none can be connected to. */
  CompletableFuture<Outcome> start(Iterator<InetSocketAddress> addresses) {
    client
        .request(options.setServer(SocketAddress.inetSocketAddress(addresses.next())))
        .onSuccess(this::send)
        .onFailure(
            failure -> {
              if (addresses.hasNext() && !outcome.isDone()) {
                var _ = start(addresses);
              } else {
                outcome.complete(Outcome.failed(ConnectFault.of(failure)));
              }
            });
    return outcome;
  }

  private void send(HttpClientRequest request) {
    request.connection().exceptionHandler(_ -> {});
    if (outcome.isDone()) {
      var _ = request.connection().close();
      return;
    }
    var _ =
        outcome.whenComplete(
            (_, _) -> vertx.setTimer(READ_MILLIS, _ -> request.connection().close()));
    request
        .send(body)
        .onSuccess(response -> answered(request, response))
        .onFailure(_ -> outcome.complete(Outcome.failed("the receiver broke off")));
  }

  private void answered(HttpClientRequest request, HttpClientResponse response) {
    String asked = response.getHeader("Retry-After");
    Duration retryAfter =
        asked == null ? Duration.ZERO : RetryAfter.of(asked, clock).orElse(Duration.ZERO);
    outcome.complete(Outcome.of(response.statusCode(), retryAfter));
    int[] read = {0};
    response.exceptionHandler(_ -> {});
    response.handler(
        buffer -> {
          read[0] += buffer.length();
          if (read[0] > READ_AT_MOST) {
            var _ = request.connection().close();
          }
        });
  }
}
