package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.egress.EgressAuthority.Leaf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Which connections of a sandbox are intercepted. Lives on one event loop. */
final class Interception {

  private static final int MOST_HOSTS = 64;

  /** HTTP/1.1 alone, as all that is checked is that. */
  private static final ApplicationProtocolConfig ALPN =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_1_1);

  private final EgressRules rules;
  private final List<EgressSecret> secrets;
  private final EgressAuthority authority;
  private final SslContext outwards;
  private final Clock clock;
  private final ByteBufAllocator heap = new UnpooledByteBufAllocator(false, true);

  /** Those that were used last. */
  private final Map<HostName, Shown> shown = new LinkedHashMap<>(16, 0.75f, true);

  Interception(
      EgressRules rules,
      List<EgressSecret> secrets,
      EgressAuthority authority,
      SslContext outwards,
      Clock clock) {
    this.rules = rules;
    this.secrets = List.copyOf(secrets);
    this.authority = authority;
    this.outwards = outwards;
    this.clock = clock;
  }

  private record Shown(Leaf leaf, SslContext tls) {}

  /** TLS to hosts, whose certificates must be good by these authorities. */
  static SslContext outwards(X509TrustManager trust) {
    return built(
        SslContextBuilder.forClient().trustManager(trust).endpointIdentificationAlgorithm("HTTPS"));
  }

  private static SslContext built(SslContextBuilder builder) {
    try {
      return builder.sslProvider(SslProvider.JDK).applicationProtocolConfig(ALPN).build();
    } catch (SSLException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  /** Whether requests to a host are checked, whatever carries them. */
  boolean limits(HostName host, int port) {
    return rules.methods(host, port).isPresent();
  }

  /** Whether a connection is intercepted: a secret goes into TLS alone. */
  boolean covers(HostName host, int port, boolean tls) {
    return limits(host, port) || (tls && !of(host).isEmpty());
  }

  private List<EgressSecret> of(HostName host) {
    return secrets.stream()
        .filter(secret -> secret.hosts().stream().anyMatch(one -> one.matches(host)))
        .toList();
  }

  /** Intercepts a connection that is covered. */
  Interceptor open(HostName host, int port, boolean tls, Interceptor.Link link) {
    List<EgressSecret> own = tls ? of(host) : List.of();
    return new Interceptor(
        HttpEnd.ofProgram(tls ? Optional.of(inwards(host)) : Optional.empty()),
        HttpEnd.ofHost(
            tls ? Optional.of(outwards.newHandler(heap, host.text(), port)) : Optional.empty()),
        new RequestCheck(rules, host, port, tls, !own.isEmpty()),
        new SecretHeaders(own),
        link);
  }

  private SslHandler inwards(HostName host) {
    @Nullable Shown now = shown.get(host);
    if (now == null || now.leaf().stale(clock.instant())) {
      Leaf leaf = authority.leaf(host, clock.instant());
      now = new Shown(leaf, built(SslContextBuilder.forServer(leaf.key(), leaf.certificate())));
      shown.put(host, now);
      if (shown.size() > MOST_HOSTS) {
        shown.remove(shown.keySet().iterator().next());
      }
    }
    return now.tls().newHandler(heap);
  }
}
