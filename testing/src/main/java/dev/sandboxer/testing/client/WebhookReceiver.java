package dev.sandboxer.testing.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;

/** Somebody's program that gets webhooks, and checks signatures by itself. */
public final class WebhookReceiver implements AutoCloseable {

  private final List<Delivery> got = new CopyOnWriteArrayList<>();
  private final List<String> namesAsked = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private volatile ToIntFunction<Delivery> answer = _ -> 204;

  private WebhookReceiver(HttpServer server) {
    this.server = server;
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  public static WebhookReceiver start() {
    try {
      return new WebhookReceiver(HttpServer.create(anyPort(), 64));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One by https. */
  public static WebhookReceiver start(SSLContext tls) {
    try {
      HttpsServer server = HttpsServer.create(anyPort(), 64);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      return new WebhookReceiver(server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** What came in one request. */
  public record Delivery(String path, String id, String timestamp, String signatures, String body) {

    public JsonNode json() {
      try {
        return Api.JSON.readTree(body);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    public String type() {
      return json().path("type").asText();
    }

    public String sandbox() {
      return json().at("/data/subject/sandbox_id").asText();
    }

    /** Whether a secret has signed it. */
    public boolean signedBy(String secret) {
      return List.of(signatures.split(" ", -1)).contains(sign(secret, id, timestamp, body));
    }
  }

  public static String sign(String secret, String id, String timestamp, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      byte[] sum = mac.doFinal((id + "." + timestamp + "." + body).getBytes(UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(sum);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  /** By https, under a name that leads here. */
  public String url(String name) {
    return "https://" + name + ":" + server.getAddress().getPort() + "/hook";
  }

  /** Names that callers asked for while TLS was agreed on, one a request. */
  public List<String> namesAsked() {
    return namesAsked;
  }

  /** From now on answers with what is decided for each delivery. */
  public WebhookReceiver answer(ToIntFunction<Delivery> decided) {
    answer = decided;
    return this;
  }

  /** Everything that came, in the order of arrival. */
  public List<Delivery> got() {
    return got;
  }

  public List<Delivery> await(int many) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> got.size() >= many);
    return got;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      noteName(exchange);
      Delivery delivery =
          new Delivery(
              exchange.getRequestURI().toString(),
              exchange.getRequestHeaders().getFirst("webhook-id"),
              exchange.getRequestHeaders().getFirst("webhook-timestamp"),
              exchange.getRequestHeaders().getFirst("webhook-signature"),
              new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      int status = answer.applyAsInt(delivery);
      got.add(delivery);
      exchange.getResponseHeaders().set("Location", "/elsewhere");
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private void noteName(HttpExchange exchange) {
    if (exchange instanceof HttpsExchange https
        && https.getSSLSession() instanceof ExtendedSSLSession session) {
      for (SNIServerName name : session.getRequestedServerNames()) {
        namesAsked.add(((SNIHostName) name).getAsciiName());
      }
    }
  }

  /** From now on nobody listens. */
  public void stop() {
    server.stop(0);
  }

  @Override
  public void close() {
    stop();
  }
}
