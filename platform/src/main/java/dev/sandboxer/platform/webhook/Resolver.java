package dev.sandboxer.platform.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a name. */
interface Resolver {

  /**
   * Asks anew.
   *
   * @param host name or literal address
   * @return at least one
   * @throws UnknownHostException if there is none
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;
}
