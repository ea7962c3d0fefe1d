package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.address.CallableAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds where a URL really leads and refuses what is not for tenants to call. Asked before every
 * attempt; what it returns is what is dialled, so that a name cannot change in between.
 */
final class Addressees {

  static final String REFUSED =
      "it must be https on port 443 of a public address;"
          + " the operator can open others with SANDBOXER_WEBHOOK_ALLOW";

  private final CallableAddresses callable;
  private final Resolver resolver;

  Addressees(CallableAddresses callable, Resolver resolver) {
    this.callable = callable;
    this.resolver = resolver;
  }

  /** A URL that must not be called. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Finds the addresses.
   *
   * @return to be tried in this order
   * @throws UnknownHostException if the name has none
   * @throws RefusedException if one of them is not to be called
   */
  List<InetSocketAddress> of(WebhookUrl url) throws UnknownHostException, RefusedException {
    List<InetSocketAddress> found = new ArrayList<>();
    for (InetAddress address : resolver.resolve(url.host())) {
      check(url, address);
      found.add(new InetSocketAddress(address, url.port()));
    }
    return found;
  }

  /** One message for all: what an inner name resolves to is nobody's business. */
  private void check(WebhookUrl url, InetAddress address) throws RefusedException {
    if (!callable.isOpened(address) && !(callable.isPublic(address) && url.ordinary())) {
      throw new RefusedException(REFUSED);
    }
  }
}
