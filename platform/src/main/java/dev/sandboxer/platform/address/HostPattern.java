package dev.sandboxer.platform.address;

/**
 * Which names a rule is for: one, or all that have one more label in front of it.
 *
 * @param name in lower case
 * @param below whether one leading label stands before it, which may be any
 */
public record HostPattern(String name, boolean below) {

  private static final String ANY = "*.";

  /**
   * Reads one.
   *
   * @param text such as {@code example.com} or {@code *.example.com}
   * @return the pattern
   * @throws IllegalArgumentException if the text is not a pattern; the message says why
   */
  public static HostPattern parse(String text) {
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
          "'%s' is an address; a rule names hosts, whose addresses may change".formatted(text));
    }
    if (below && host.text().indexOf('.') < 0) {
      throw new IllegalArgumentException(
          "'%s' covers a whole top-level domain; name at least two labels, such as *.example.com"
              .formatted(text));
    }
    return new HostPattern(host.text(), below);
  }

  /**
   * Whether a host is meant.
   *
   * @param host of a request
   * @return false for an address
   */
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
