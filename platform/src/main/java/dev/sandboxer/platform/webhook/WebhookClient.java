package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.installation.Authorities;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.TrustOptions;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls receivers, which may be hostile: the checked address is dialled, no redirect followed,
 * nothing decompressed, head and body bounded, all of it within one time limit. Certificates are
 * checked for the name. No proxy is used, whatever the environment says.
 */
final class WebhookClient {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int HEAD = 16 << 10;
  private static final int AT_ONCE = 1_024;

  private final Vertx vertx;
  private final HttpClient client;
  private final Addressees addressees;
  private final Clock clock;
  private final Duration limit;

  WebhookClient(
      Vertx vertx,
      Addressees addressees,
      Optional<Authorities> authorities,
      Clock clock,
      Duration limit) {
    this.vertx = vertx;
    this.addressees = addressees;
    this.clock = clock;
    this.limit = limit;
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAlive(false)
            .setConnectTimeout(CONNECT_MILLIS)
            .setMaxHeaderSize(HEAD)
            .setMaxPoolSize(AT_ONCE);
    authorities.ifPresent(all -> options.setTrustOptions(TrustOptions.wrap(all.trust())));
    this.client = vertx.createHttpClient(options);
  }

  /**
   * Sends a message. Blocks.
   *
   * @param text the URL
   * @param headers of the request
   * @param body of the request
   * @return how it went; a failure is an outcome too
   * @throws InterruptedException if the node ends
   */
  Outcome post(String text, Map<String, String> headers, String body) throws InterruptedException {
    try {
      WebhookUrl url = WebhookUrl.parse(text);
      return call(url, addressees.of(url), headers, body);
    } catch (UnknownHostException e) {
      return Outcome.failed("the host's name has no address");
    } catch (Addressees.RefusedException | IllegalArgumentException e) {
      return Outcome.failed("the URL is not allowed: " + e.getMessage());
    }
  }

  private Outcome call(
      WebhookUrl url, List<InetSocketAddress> addresses, Map<String, String> headers, String body)
      throws InterruptedException {
    CompletableFuture<Outcome> outcome =
        new Exchange(vertx, client, clock, options(url, headers), body).start(addresses.iterator());
    try {
      return outcome.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      Outcome late = Outcome.failed("no answer within " + limit.toSeconds() + " s");
      return outcome.complete(late) ? late : outcome.getNow(late);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an exchange ends with an outcome", e);
    }
  }

  private static RequestOptions options(WebhookUrl url, Map<String, String> headers) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost(url.host())
            .setPort(url.port())
            .setSsl(url.https())
            .setURI(url.target())
            .setFollowRedirects(false);
    headers.forEach(options::putHeader);
    return options;
  }

  void close() {
    var _ = client.close();
  }
}
