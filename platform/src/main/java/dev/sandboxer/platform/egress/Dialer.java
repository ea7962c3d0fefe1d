package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.CallableAddresses;
import dev.sandboxer.platform.address.HostName;
import io.netty.util.concurrent.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.List;

/** Calls hosts, at addresses that were checked: what a name leads to is looked up once. */
final class Dialer {

  private static final int LIMIT_MILLIS = 10_000;

  private final NetClient client;
  private final CallableAddresses callable;
  private final EgressProxy.Own own;

  Dialer(Vertx vertx, CallableAddresses callable, EgressProxy.Own own) {
    this.own = own;
    this.client =
        vertx.createNetClient(
            new NetClientOptions().setConnectTimeout(LIMIT_MILLIS).setTcpNoDelay(true));
    this.callable = callable;
  }

  /** What comes of a call; runs on the event loop that made it. */
  record Outcome(Handler<NetSocket> opened, Handler<Refusal> refused) {}

  /** To be called on the event loop, where the outcome is handled as well. */
  void dial(ContextInternal loop, Resolver resolver, HostName host, int port, Outcome outcome) {
    Future<List<InetAddress>> found = resolver.addresses(host);
    found.addListener(_ -> loop.runOnContext(_ -> found(found, host, port, outcome)));
  }

  private void found(Future<List<InetAddress>> found, HostName host, int port, Outcome outcome) {
    if (found.isSuccess()) {
      checked(found.getNow(), host, port, outcome);
    } else {
      outcome.refused().handle(unreachable("%s has no address".formatted(host.text())));
    }
  }

  private void checked(List<InetAddress> found, HostName host, int port, Outcome outcome) {
    List<InetAddress> addresses =
        found.stream().filter(one -> callable.isPublic(one) || callable.isOpened(one)).toList();
    if (addresses.isEmpty()) {
      outcome
          .refused()
          .handle(
              new Refusal(
                  Refusal.Kind.FORBIDDEN,
                  "%s leads to %s, which is no public address; an operator may open its range with SANDBOXER_EGRESS_ALLOW"
                      .formatted(host.text(), found.getFirst().getHostAddress())));
      return;
    }
    if (addresses.stream().anyMatch(one -> own.listensAt(one, port))) {
      outcome
          .refused()
          .handle(
              new Refusal(
                  Refusal.Kind.FORBIDDEN,
                  "%s:%d is the platform's own".formatted(host.text(), port)));
      return;
    }
    first(addresses, host, port, outcome);
  }

  private void first(List<InetAddress> addresses, HostName host, int port, Outcome outcome) {
    client
        .connect(SocketAddress.inetSocketAddress(port, addresses.getFirst().getHostAddress()))
        .onComplete(
            done -> {
              if (done.succeeded()) {
                outcome.opened().handle(done.result());
              } else if (addresses.size() > 1) {
                first(addresses.subList(1, addresses.size()), host, port, outcome);
              } else {
                outcome
                    .refused()
                    .handle(unreachable("%s:%d takes no connection".formatted(host.text(), port)));
              }
            });
  }

  private static Refusal unreachable(String message) {
    return new Refusal(Refusal.Kind.UNREACHABLE, message);
  }

  void close() {
    var _ = client.close();
  }
}
