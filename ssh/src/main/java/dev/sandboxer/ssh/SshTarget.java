package dev.sandboxer.ssh;

import java.util.Optional;

/**
 * A user on a machine, and how the two sides know each other. Equal targets share their
 * connections.
 *
 * @param user who logs in
 * @param host name or IP address
 * @param port of the SSH server
 * @param key with which the user logs in
 * @param hostKeys by which we know the server
 * @param jump the machine through which it is reached, checked by its own host keys; empty for none
 */
public record SshTarget(
    String user, String host, int port, SshKey key, HostKeys hostKeys, Optional<SshTarget> jump) {

  /** Checks the parts. */
  public SshTarget {
    if (!SshAddress.userName(user)) {
      throw new IllegalArgumentException("'" + user + "' is not a user's name");
    }
    host = new SshAddress(Optional.empty(), host, port).host();
  }

  /**
   * For messages.
   *
   * @return such as {@code ann@build-1:22}
   */
  public String name() {
    return user + "@" + server();
  }

  /**
   * The server alone, for messages.
   *
   * @return such as {@code build-1:22}
   */
  public String server() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
