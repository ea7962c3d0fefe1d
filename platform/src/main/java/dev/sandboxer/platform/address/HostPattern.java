package dev.sandboxer.platform.address;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which hosts a rule is for. */
public sealed interface HostPattern {

  /**
   * Reads one.
   *
   * @param text such as {@code example.com}, {@code *.example.com} or {@code 10.1.2.0/24}
   * @return the pattern
   * @throws IllegalArgumentException if the text is not a pattern; the message says why
   */
  static HostPattern parse(String text) {
    Optional<HostPattern> addresses = Addresses.find(text);
    return addresses.isPresent() ? addresses.get() : Names.parse(text);
  }

  /**
   * Whether a host is meant.
   *
   * @param host of a request
   * @return false for an address if the rule names hosts, and for a name if it is for addresses
   */
  boolean matches(HostName host);

  /**
   * One name, or all that have one more label in front of it.
   *
   * @param name in lower case
   * @param below whether one leading label stands before it, which may be any
   */
  record Names(String name, boolean below) implements HostPattern {

    private static final String ANY = "*.";

    private static Names parse(String text) {
      boolean below = text.startsWith(ANY);
      String name = below ? text.substring(ANY.length()) : text;
      if (text.equals("*")) {
        throw new IllegalArgumentException("'*' is every host; that is network.mode: public");
      }
      if (name.chars().anyMatch(c -> c >= 0x80)) {
        throw new IllegalArgumentException(
            "'%s' has letters beyond ASCII; write it as DNS has it (xn--...)".formatted(text));
      }
      HostName host =
          HostName.parse(name)
              .filter(one -> !name.endsWith("."))
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "'%s' must be a host name such as example.com, or *.example.com for the names one label below it"
                              .formatted(text)));
      if (host.address()) {
        throw new IllegalArgumentException(
            "'%s' is an address: name the host, or write %s if the operator has opened it"
                .formatted(text, host.range()));
      }
      if (below && host.text().indexOf('.') < 0) {
        throw new IllegalArgumentException(
            "'%s' covers a whole top-level domain; name at least two labels, such as *.example.com"
                .formatted(text));
      }
      return new Names(host.text(), below);
    }

    @Override
    public boolean matches(HostName host) {
      if (host.address()) {
        return false;
      }
      if (!below) {
        return host.text().equals(name);
      }
      int dot = host.text().indexOf('.');
      return dot > 0 && host.text().substring(dot + 1).equals(name);
    }

    @Override
    public String toString() {
      return below ? ANY + name : name;
    }
  }

  /**
   * A range of addresses, which a program calls without a name.
   *
   * @param range whose first address is its base
   */
  record Addresses(AddressRange range) implements HostPattern {

    private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f.:]+)/([0-9]{1,3})");

    private static Optional<HostPattern> find(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches()) {
        return Optional.empty();
      }
      return HostName.parse(form.group(1))
          .filter(HostName::address)
          .map(first -> range(text, first.text() + "/" + form.group(2)));
    }

    private static Addresses range(String text, String plain) {
      AddressRange range = AddressRange.parse(plain);
      if (!range.first().equals(range.base())) {
        throw new IllegalArgumentException(
            "'%s' begins at another address: write %s/%d"
                .formatted(text, range.first().getHostAddress(), range.bits()));
      }
      return new Addresses(range);
    }

    @Override
    public boolean matches(HostName host) {
      return host.address()
          && range.contains(GlobalAddresses.carried(InetAddress.ofLiteral(host.text())));
    }

    @Override
    public String toString() {
      return range.base().getHostAddress() + "/" + range.bits();
    }
  }
}
