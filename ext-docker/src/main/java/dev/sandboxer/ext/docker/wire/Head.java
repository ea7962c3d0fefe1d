package dev.sandboxer.ext.docker.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The first part of an answer.
 *
 * @param status such as 200
 * @param headers by lower-case name
 */
record Head(int status, Map<String, List<String>> headers) {

  private static final int MAX_LINE = 64 * 1024;
  private static final int MAX_HEADERS = 200;

  static Head read(Connection connection) throws IOException {
    int status = status(connection.line(MAX_LINE));
    Map<String, List<String>> headers = new TreeMap<>();
    for (String line = connection.line(MAX_LINE);
        !line.isEmpty();
        line = connection.line(MAX_LINE)) {
      int colon = line.indexOf(':');
      if (colon < 1 || headers.size() > MAX_HEADERS) {
        throw new NotHttpException("a header of the answer is not one");
      }
      headers
          .computeIfAbsent(
              line.substring(0, colon).strip().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
          .add(line.substring(colon + 1).strip());
    }
    return new Head(status, headers);
  }

  private static int status(String line) throws IOException {
    if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
      throw new NotHttpException(
          "the answer begins with '"
              + line.replaceAll("\\p{Cntrl}", "?").substring(0, Math.min(40, line.length()))
              + "', which is not HTTP");
    }
    return Integer.parseInt(line.substring(9, 12));
  }

  Optional<String> first(String name) {
    return Optional.ofNullable(headers.get(name)).map(List::getFirst);
  }

  boolean chunked() {
    return first("transfer-encoding").filter("chunked"::equalsIgnoreCase).isPresent();
  }

  boolean upgraded() {
    return status == 101;
  }

  boolean empty() {
    return status == 204 || status == 304;
  }

  long length() throws NotHttpException {
    String text = first("content-length").orElse("-1");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new NotHttpException("content-length '" + text + "' is not a number");
    }
  }
}
