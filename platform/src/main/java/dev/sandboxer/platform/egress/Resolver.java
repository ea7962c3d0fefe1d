package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Finds the addresses of names, by the machine's hosts file and name servers. A sandbox's own
 * resolver plays no part, and no search domain is put behind a name.
 */
final class Resolver {

  private static final long LIMIT_MILLIS = 5000;

  private final DnsNameResolver names;
  private final EventLoop loop;

  /**
   * One for all names that are looked up on an event loop, by the machine's servers if none is
   * named.
   */
  Resolver(EventLoop loop, List<InetSocketAddress> servers) {
    this.loop = loop;
    DnsNameResolverBuilder builder =
        new DnsNameResolverBuilder(loop)
            .datagramChannelType(EpollDatagramChannel.class)
            .socketChannelType(EpollSocketChannel.class)
            .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
            .searchDomains(List.of())
            .queryTimeoutMillis(LIMIT_MILLIS);
    if (!servers.isEmpty()) {
      builder.nameServerProvider(new SequentialDnsServerAddressStreamProvider(servers));
    }
    this.names = builder.build();
  }

  /** The addresses of a host, IPv4 first. */
  Future<List<InetAddress>> addresses(HostName host) {
    return host.address()
        ? loop.newSucceededFuture(List.of(InetAddress.ofLiteral(host.text())))
        : names.resolveAll(host.text());
  }

  void close() {
    names.close();
  }
}
