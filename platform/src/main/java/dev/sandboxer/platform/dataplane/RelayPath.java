package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import java.util.Optional;

/**
 * What a URI below {@code /dp/} names. Taken from the raw URI, so that what is checked is what is
 * sent on.
 *
 * @param sandboxId the sandbox's id
 * @param path below the sandbox, such as {@code /v1/exec}, as it came
 * @param query with its question mark, as it came, or empty
 */
record RelayPath(SandboxId sandboxId, String path, String query) {

  private static final String PREFIX = "/dp/";

  static Optional<RelayPath> parse(String uri) {
    int idEnd = uri.startsWith(PREFIX) ? uri.indexOf('/', PREFIX.length()) : -1;
    Optional<SandboxId> id =
        idEnd < 0 ? Optional.empty() : SandboxId.parse(uri.substring(PREFIX.length(), idEnd));
    if (id.isEmpty()) {
      return Optional.empty();
    }
    int question = uri.indexOf('?', idEnd);
    int end = question < 0 ? uri.length() : question;
    return Optional.of(new RelayPath(id.get(), uri.substring(idEnd, end), uri.substring(end)));
  }

  String uri() {
    return path + query;
  }
}
