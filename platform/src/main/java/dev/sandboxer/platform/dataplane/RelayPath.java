package dev.sandboxer.platform.dataplane;

import java.util.Optional;

/**
 * What a URI below {@code /dp/} names. Taken from the raw URI, so that what is checked is what is
 * sent on.
 *
 * @param sandboxId the raw id
 * @param path below the sandbox, such as {@code /v1/exec}, as it came
 * @param query with its question mark, as it came, or empty
 */
record RelayPath(String sandboxId, String path, String query) {

  private static final String PREFIX = "/dp/sb_";
  private static final int ID_LENGTH = 20;
  private static final int ID_END = PREFIX.length() + ID_LENGTH;

  static Optional<RelayPath> parse(String uri) {
    if (!uri.startsWith(PREFIX) || uri.length() <= ID_END || uri.charAt(ID_END) != '/') {
      return Optional.empty();
    }
    String id = uri.substring(PREFIX.length(), ID_END);
    if (!rawId(id)) {
      return Optional.empty();
    }
    int question = uri.indexOf('?', ID_END);
    int end = question < 0 ? uri.length() : question;
    return Optional.of(new RelayPath(id, uri.substring(ID_END, end), uri.substring(end)));
  }

  String uri() {
    return path + query;
  }

  private static boolean rawId(String id) {
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      boolean letter = c >= 'a' && c <= 'z';
      if (!letter && (i == 0 || c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }
}
