package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.CallableAddresses;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.token.TokenMinter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.X509TrustManager;

/** The platform's proxy: HTTP CONNECT, HTTP in absolute form, and SOCKS5 on one port. */
public final class EgressProxy implements AutoCloseable {

  /** Of the sandbox's loopback, where programs find the proxy; Squid's, which many know. */
  public static final int PORT = 3128;

  private final Vertx vertx;
  private final WireClient client;
  private final TokenMinter minter;
  private final Dialer dialer;
  private final Map<EventLoop, Resolver> resolvers = new ConcurrentHashMap<>();
  private final List<InetSocketAddress> nameServers;
  private final Duration longest;
  private final EgressMetrics metrics;
  private final SslContext outwards;
  private final Clock clock;
  private final int port;

  /**
   * Makes a proxy.
   *
   * @param vertx with the native transport
   * @param client to reach boxd
   * @param minter of admin relay tokens
   * @param callable which addresses may be called at all
   * @param own where the platform listens, which may not be called
   * @param nameServers to ask, the machine's own if empty
   * @param trust in the hosts whose TLS it ends itself
   * @param longest that a connection may last
   * @param registry for its figures
   * @param clock for when they begin
   * @param port of the sandboxes' loopback
   */
  public EgressProxy(
      Vertx vertx,
      WireClient client,
      TokenMinter minter,
      CallableAddresses callable,
      Own own,
      List<InetSocketAddress> nameServers,
      X509TrustManager trust,
      Duration longest,
      MeterRegistry registry,
      Clock clock,
      int port) {
    this.nameServers = List.copyOf(nameServers);
    this.vertx = vertx;
    this.client = client;
    this.minter = minter;
    this.dialer = new Dialer(vertx, callable, own);
    this.outwards = Interception.outwards(trust);
    this.longest = longest;
    this.metrics = new EgressMetrics(registry);
    this.clock = clock;
    this.port = port;
  }

  /** Hears what was refused, on an event loop: it must not block. */
  @FunctionalInterface
  public interface Denials {

    /**
     * A program was refused a host.
     *
     * @param host name or address
     * @param port of it
     * @param reason for a person
     */
    void denied(String host, int port, String reason);
  }

  /** Knows where the platform itself listens. No sandbox reaches it, whatever is opened. */
  @FunctionalInterface
  public interface Own {

    /**
     * Whether the platform listens there.
     *
     * @param address to be called
     * @param port of it
     * @return true for its nodes, its database, and the hosts of its backends
     */
    boolean listensAt(InetAddress address, int port);
  }

  /**
   * What programs find in their environment, so that they use the proxy.
   *
   * @return name to value, in upper and lower case, as programs differ
   */
  public Map<String, String> environment() {
    String url = "http://127.0.0.1:" + port;
    Map<String, String> all = new TreeMap<>();
    for (String name : new String[] {"http_proxy", "https_proxy", "all_proxy"}) {
      all.put(name, url);
      all.put(name.toUpperCase(Locale.ROOT), url);
    }
    all.put("no_proxy", "localhost,127.0.0.1,::1");
    all.put("NO_PROXY", "localhost,127.0.0.1,::1");
    return all;
  }

  /**
   * Opens the way out of a sandbox, and waits until a program can use it.
   *
   * @param boxd of the sandbox
   * @param rules of its profile
   * @param secrets that requests to some hosts get
   * @param authority for the hosts that the rules and the secrets want intercepted
   * @param denials hears what was refused
   * @param limit how long to try
   * @return to be closed when the sandbox ends
   * @throws EgressException if boxd does not take it in time
   * @throws InterruptedException if the thread is interrupted
   */
  public WayOut open(
      Endpoint boxd,
      EgressRules rules,
      List<EgressSecret> secrets,
      EgressAuthority authority,
      Denials denials,
      Duration limit)
      throws EgressException, InterruptedException {
    ContextInternal loop = ((VertxInternal) vertx).createEventLoopContext();
    Resolver resolver =
        resolvers.computeIfAbsent(loop.nettyEventLoop(), on -> new Resolver(on, nameServers));
    WayOut out =
        new WayOut(
            loop,
            new WayOut.Boxd(client, minter, boxd, port),
            (host, hostPort, outcome) -> dialer.dial(loop, resolver, host, hostPort, outcome),
            rules,
            new Interception(rules, secrets, authority, outwards, clock),
            longest,
            denials,
            new Traffic(metrics, clock.instant()));
    out.begin(limit);
    return out;
  }

  @Override
  public void close() {
    resolvers.values().forEach(Resolver::close);
    dialer.close();
  }

  /** A sandbox has no way out. */
  public static final class EgressException extends Exception {

    private static final long serialVersionUID = 1L;

    EgressException(String message) {
      super(message);
    }
  }
}
