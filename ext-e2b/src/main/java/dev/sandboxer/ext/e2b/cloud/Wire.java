package dev.sandboxer.ext.e2b.cloud;

import dev.sandboxer.spi.Call;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Sends requests to accounts. Redirects are not followed: they would carry the key elsewhere. A
 * request ends with its call, body included.
 */
final class Wire implements AutoCloseable {

  static final int MOST_BYTES = 8 << 20;

  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** Files of authorities are read again once they have changed. */
  private record Trust(Optional<Path> file, Optional<FileTime> changed) {}

  private final Map<Trust, HttpClient> clients = new ConcurrentHashMap<>();

  static BodyHandler<byte[]> bytes() {
    return BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES);
  }

  <T> HttpResponse<T> send(
      Account account, HttpRequest.Builder request, BodyHandler<T> body, Duration most, Call call)
      throws UnansweredException {
    Duration limit = call.remaining().compareTo(most) < 0 ? call.remaining() : most;
    if (limit.isZero() || call.cancelled()) {
      throw new UnansweredException(false, true, "the time for it was over", null);
    }
    String server = request.build().uri().getAuthority();
    CompletableFuture<HttpResponse<T>> answer =
        client(account).sendAsync(request.timeout(limit).build(), body);
    try {
      return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new UnansweredException(
          true, true, "%s did not answer within %d s".formatted(server, limit.toSeconds()), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new UnansweredException(true, true, "cancelled while " + server + " worked on it", e);
    } catch (ExecutionException e) {
      throw unanswered(account, server, e.getCause() == null ? e : e.getCause());
    }
  }

  private static UnansweredException unanswered(Account account, String server, Throwable why) {
    if (why instanceof SSLException) {
      return new UnansweredException(
          false,
          false,
          "the certificate of %s is not accepted: %s; %s"
              .formatted(
                  server,
                  why.getMessage(),
                  account
                      .caFile()
                      .map(file -> "is its authority in settings.ca_file, " + file + "?")
                      .orElse("an authority of your own goes into settings.ca_file of the host")),
          why);
    }
    if (why instanceof ConnectException || why instanceof HttpConnectTimeoutException) {
      return new UnansweredException(
          false, false, "%s cannot be reached: %s".formatted(server, said(why)), why);
    }
    boolean late = why instanceof java.net.http.HttpTimeoutException;
    return new UnansweredException(
        true, late, "%s gave no answer: %s".formatted(server, said(why)), why);
  }

  private static String said(Throwable why) {
    return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
  }

  private HttpClient client(Account account) throws UnansweredException {
    Optional<Path> file = account.caFile();
    try {
      Trust trust =
          new Trust(
              file,
              file.isPresent()
                  ? Optional.of(Files.getLastModifiedTime(file.get()))
                  : Optional.empty());
      HttpClient known = clients.get(trust);
      if (known != null) {
        return known;
      }
      HttpClient made = make(file);
      HttpClient other = clients.putIfAbsent(trust, made);
      if (other == null) {
        return made;
      }
      made.shutdownNow();
      return other;
    } catch (IOException | GeneralSecurityException e) {
      throw new UnansweredException(
          false,
          false,
          "settings.ca_file %s cannot be used: %s".formatted(file.orElseThrow(), said(e)),
          e);
    }
  }

  private static HttpClient make(Optional<Path> file) throws IOException, GeneralSecurityException {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT);
    if (file.isPresent()) {
      builder.sslContext(TrustedFile.context(file.get()));
    }
    return builder.build();
  }

  @Override
  public void close() {
    clients.values().forEach(HttpClient::shutdownNow);
  }
}
