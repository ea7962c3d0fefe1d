package dev.sandboxer.platform.installation;

import java.util.Set;

/**
 * Where the platform listens.
 *
 * @param host name or address, without brackets
 * @param port 0 to 65535; 0 lets the kernel choose
 */
public record ListenAddress(String host, int port) {

  /** What counts where nothing is set. */
  public static final ListenAddress DEFAULT = new ListenAddress("127.0.0.1", 8420);

  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "::1", "localhost");

  /** Checks the values. */
  public ListenAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the host is missing");
    }
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " must be 0 to 65535");
    }
  }

  /**
   * Reads {@code host:port} or {@code [v6]:port}.
   *
   * @param text to read
   * @return the address
   * @throws IllegalArgumentException saying what is wrong
   */
  public static ListenAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("\\d{1,5}")) {
      throw new IllegalArgumentException("it must be host:port, such as 127.0.0.1:8420");
    }
    String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
    return new ListenAddress(host, Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * Whether only this machine can connect.
   *
   * @return true for a loopback address
   */
  public boolean loopback() {
    return LOOPBACK.contains(host) || host.matches("127(\\.\\d{1,3}){3}");
  }

  /**
   * Whether it listens on every network of the machine.
   *
   * @return true for a wildcard
   */
  public boolean everywhere() {
    return host.equals("0.0.0.0") || host.equals("::");
  }

  /**
   * The URL for clients on this machine.
   *
   * @param scheme such as {@code http}
   * @param actualPort that was bound
   * @return without a slash at the end
   */
  public String url(String scheme, int actualPort) {
    String name =
        switch (host) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::" -> "[::1]";
          default -> host.contains(":") ? "[" + host + "]" : host;
        };
    return scheme + "://" + name + ":" + actualPort;
  }
}
