package dev.sandboxer.platform.dataplane.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Status and headers of a reply, checked for form alone.
 *
 * @param status 100 to 599
 * @param headers in the order in which they came
 */
public record ReplyHead(int status, List<Header> headers) {

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
