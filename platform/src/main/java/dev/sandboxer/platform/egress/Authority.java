package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.egress.Handshake.MalformedException;

/**
 * Host and port as a request names them.
 *
 * @param host not looked at yet; an IPv6 address in brackets
 * @param port 1 to 65535
 * @param shown as it came
 */
record Authority(String host, int port, String shown) {

  private static final int MOST = 65_535;

  /**
   * Splits one.
   *
   * @param text such as {@code example.com:443}
   * @param usual the port where none is named; negative if one must be
   */
  static Authority parse(String text, int usual) throws MalformedException {
    int colon = text.lastIndexOf(':');
    boolean named = colon > text.lastIndexOf(']');
    String host = named ? text.substring(0, colon) : text;
    int port = named ? port(text.substring(colon + 1)) : usual;
    if (host.isEmpty() || text.indexOf('@') >= 0 || port < 1) {
      throw new MalformedException("'%.100s' must be host:port".formatted(text));
    }
    return new Authority(host, port, text);
  }

  private static int port(String text) {
    boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    int port = digits && text.length() <= 5 ? Integer.parseInt(text) : 0;
    return port <= MOST ? port : 0;
  }
}
