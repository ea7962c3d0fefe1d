package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Parses the bytes of a whole head, strictly: CRLF alone ends a line, no line is folded. */
final class HeadParser {

  private static final int MAX_HEADERS = 64;
  private static final int STATUS_AT = 9;
  private static final int STATUS_END = 12;
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

  private HeadParser() {}

  /** Takes a head without its last, empty line. */
  static ReplyHead parse(Buffer buffer, int start, int end) throws WireException {
    int lineEnd = lineEnd(buffer, start, end);
    int status = status(buffer.getString(start, lineEnd, "ISO-8859-1"));
    List<ReplyHead.Header> headers = new ArrayList<>(8);
    int at = lineEnd + 2;
    while (at < end) {
      lineEnd = lineEnd(buffer, at, end);
      headers.add(header(buffer.getString(at, lineEnd, "ISO-8859-1")));
      if (headers.size() > MAX_HEADERS) {
        throw new WireException("more than " + MAX_HEADERS + " headers");
      }
      at = lineEnd + 2;
    }
    return new ReplyHead(status, headers);
  }

  private static int lineEnd(Buffer buffer, int from, int end) throws WireException {
    for (int i = from; i < end; i++) {
      byte b = buffer.getByte(i);
      if (b == '\n') {
        throw new WireException("a line ends without CR");
      }
      if (b == '\r') {
        if (i + 1 < end && buffer.getByte(i + 1) == '\n') {
          return i;
        }
        throw new WireException("a CR without LF");
      }
    }
    throw new WireException("a line without end");
  }

  private static int status(String line) throws WireException {
    boolean form =
        line.startsWith("HTTP/1.1 ")
            && line.length() >= STATUS_END
            && (line.length() == STATUS_END || line.charAt(STATUS_END) == ' ')
            && visible(line);
    if (!form) {
      throw new WireException("a status line that is not HTTP/1.1");
    }
    int status = 0;
    for (int i = STATUS_AT; i < STATUS_END; i++) {
      int digit = line.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw new WireException("a status that is no number");
      }
      status = status * 10 + digit;
    }
    if (status < 100 || status > 599) {
      throw new WireException("status " + status);
    }
    return status;
  }

  private static ReplyHead.Header header(String line) throws WireException {
    if (line.isEmpty() || line.charAt(0) == ' ' || line.charAt(0) == '\t') {
      throw new WireException("a folded header line");
    }
    int colon = line.indexOf(':');
    if (colon < 1 || !token(line, colon)) {
      throw new WireException("a header line without a name");
    }
    String value = trim(line, colon + 1);
    if (!visible(value)) {
      throw new WireException("a header value with control characters");
    }
    return new ReplyHead.Header(line.substring(0, colon).toLowerCase(Locale.ROOT), value);
  }

  private static boolean token(String line, int end) {
    for (int i = 0; i < end; i++) {
      char c = line.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && TOKEN_MARKS.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean visible(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private static String trim(String line, int from) {
    int start = from;
    int end = line.length();
    while (start < end && blank(line.charAt(start))) {
      start++;
    }
    while (end > start && blank(line.charAt(end - 1))) {
      end--;
    }
    return line.substring(start, end);
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\t';
  }
}
