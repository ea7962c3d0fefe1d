package dev.sandboxer.platform.trace;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A span that others may be children of, as W3C Trace Context names it.
 *
 * @param traceId 32 hexadecimal digits in lower case, not all zero
 * @param spanId 16 of them, not all zero
 */
record TraceParent(String traceId, String spanId) {

  /** The name of the header. */
  static final String HEADER = "traceparent";

  private static final int LENGTH = 55;

  // A later version may append fields; it is read as far as this one goes.
  private static final Pattern FORMAT =
      Pattern.compile(
          "(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");

  /**
   * Reads a header. What it says of sampling is not read: whoever asks decides nothing here.
   *
   * @param header as it came, null if none did
   * @return empty if it is not well formed
   */
  static Optional<TraceParent> parse(@Nullable String header) {
    if (header == null || header.length() < LENGTH) {
      return Optional.empty();
    }
    Matcher matcher = FORMAT.matcher(header);
    boolean good =
        matcher.matches() && (header.length() == LENGTH || !"00".equals(matcher.group(1)));
    return good
        ? Optional.of(new TraceParent(matcher.group(2), matcher.group(3)))
        : Optional.empty();
  }

  String header() {
    return "00-" + traceId + "-" + spanId + "-01";
  }
}
