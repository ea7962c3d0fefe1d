package dev.sandboxer.dataplane.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 clients that follow no redirect: a key or token never goes to another host. One for
 * plain addresses, which does not set up TLS (that alone costs 0.1 s at start), and one for the
 * others; each made when first asked for. Safe for use by several threads.
 */
public final class HttpClients implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable HttpClient plain;
  private @Nullable HttpClient secure;

  /** The client for an address of scheme http, https, ws or wss. */
  public HttpClient of(URI address) {
    lock.lock();
    try {
      return "https".equals(address.getScheme()) || "wss".equals(address.getScheme())
          ? secure()
          : plain();
    } finally {
      lock.unlock();
    }
  }

  private HttpClient plain() {
    HttpClient known = plain;
    if (known == null) {
      known = builder().sslContext(new NoTls()).build();
      plain = known;
    }
    return known;
  }

  private HttpClient secure() {
    HttpClient known = secure;
    if (known == null) {
      known = builder().build();
      secure = known;
    }
    return known;
  }

  /**
   * Ends the clients' threads. While one of them waits in the kernel, the virtual machine takes 0.3
   * s to exit.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      end(plain);
      end(secure);
      plain = null;
      secure = null;
    } finally {
      lock.unlock();
    }
  }

  private static void end(@Nullable HttpClient client) {
    if (client != null) {
      client.shutdownNow();
      client.close();
    }
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT);
  }
}
