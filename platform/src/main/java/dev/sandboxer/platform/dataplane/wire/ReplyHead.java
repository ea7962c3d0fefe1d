package dev.sandboxer.platform.dataplane.wire;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Status and headers of a reply, checked for form alone.
 *
 * @param status 100 to 599
 * @param headers in the order in which they came
 */
public record ReplyHead(int status, List<Header> headers) {
  private static final Pattern CLOSE = Pattern.compile("(?i)(^|,)[ \\t]*close[ \\t]*(,|$)");

  /**
   * The first value of a header.
   *
   * @param name in lower case
   * @return null if it is not there
   */
  public @Nullable String first(String name) {
    for (Header header : headers) {
      if (header.name().equals(name)) {
        return header.value();
      }
    }
    return null;
  }

  /**
   * Whether the connection ends with this reply (RFC 9112, 9.6).
   *
   * @return true if one of its connection options is {@code close}
   */
  public boolean closes() {
    for (Header header : headers) {
      if (header.name().equals("connection") && CLOSE.matcher(header.value()).find()) {
        return true;
      }
    }
    return false;
  }

  /**
   * How often a header stands there.
   *
   * @param name in lower case
   * @return at least 0
   */
  public int count(String name) {
    int count = 0;
    for (Header header : headers) {
      if (header.name().equals(name)) {
        count++;
      }
    }
    return count;
  }

  /**
   * One header line.
   *
   * @param name in lower case
   * @param value without blanks around it, no control characters
   */
  public record Header(String name, String value) {}
}
