package dev.sandboxer.dataplane.file;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The dataplane's routes for files. */
final class Routes {
  private Routes() {}

  /** A route with the parameter {@code path}; {@code more} is what follows, encoded. */
  static String of(String route, String path, String more) {
    return "/files/" + route + "?path=" + URLEncoder.encode(path, StandardCharsets.UTF_8) + more;
  }
}
