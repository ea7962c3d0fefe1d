package dev.sandboxer.platform.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A host as a program names it, in the one form that is compared: lower case, without a dot at the
 * end, an address as such.
 *
 * @param text name or address; an IPv6 address without brackets
 * @param address whether it is one
 */
public record HostName(String text, boolean address) {

  private static final int MOST = 253;
  private static final String LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
  private static final Pattern NAME = Pattern.compile(LABEL + "(?:\\." + LABEL + ")*");
  private static final String BYTE = "(?:0|[1-9][0-9]{0,2})";
  private static final Pattern V4 = Pattern.compile(BYTE + "(?:\\." + BYTE + "){3}");

  /** A last label that resolvers take for a part of an address, in any base. */
  private static final Pattern NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");

  /**
   * Reads one.
   *
   * @param text such as {@code Example.com.}, {@code 192.0.2.1} or {@code [2001:db8::1]}
   * @return empty if the text is neither a name of ASCII letters, digits, dashes and underscores
   *     nor an address in its usual form: {@code 2130706433} and {@code 0x7f.1} are not
   */
  public static Optional<HostName> parse(String text) {
    if (text.startsWith("[") && text.endsWith("]")) {
      return six(text.substring(1, text.length() - 1));
    }
    if (text.indexOf(':') >= 0) {
      return six(text);
    }
    String name = text.toLowerCase(Locale.ROOT);
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    if (V4.matcher(name).matches()) {
      return literal(name);
    }
    boolean fine =
        name.length() <= MOST && NAME.matcher(name).matches() && !NUMBER.matcher(name).matches();
    return fine ? Optional.of(new HostName(name, false)) : Optional.empty();
  }

  /**
   * How a rule names an address.
   *
   * @return itself, or the range that has it alone
   */
  public String range() {
    if (!address) {
      return text;
    }
    return text + (text.indexOf(':') < 0 ? "/32" : "/128");
  }

  private static Optional<HostName> six(String text) {
    return text.indexOf('%') >= 0 || text.indexOf(':') < 0 ? Optional.empty() : literal(text);
  }

  /** One that carries an IPv4 address is that address. */
  private static Optional<HostName> literal(String text) {
    try {
      InetAddress address = InetAddress.ofLiteral(text);
      String shown = address.getHostAddress();
      return Optional.of(
          new HostName(
              address instanceof Inet6Address ? shown.toLowerCase(Locale.ROOT) : shown, true));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
