package dev.sandboxer.ext.e2b.cloud;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Where a port of a sandbox is. */
final class Edge {

  private static final String E2B = "e2b.app";

  private Edge() {}

  /** Either a name for each port of each sandbox, or one place that selects by headers. */
  static URI base(Account account, Access access, int port) {
    return account
        .sandboxUrl()
        .orElseGet(
            () ->
                URI.create(
                    "https://%d-%s.%s".formatted(port, access.id(), domain(account, access))));
  }

  private static String domain(Account account, Access access) {
    return account
        .domain()
        .or(() -> Optional.of(access.domain()).filter(Edge::isName))
        .or(account::usualDomain)
        .orElse(E2B);
  }

  private static boolean isName(String domain) {
    return domain.matches("[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?(:[0-9]{1,5})?");
  }

  static Map<String, String> headers(Access access, int port) {
    Map<String, String> headers = new TreeMap<>();
    headers.put("E2b-Sandbox-Id", access.id());
    headers.put("E2b-Sandbox-Port", Integer.toString(port));
    if (!access.trafficToken().isEmpty()) {
      headers.put("e2b-traffic-access-token", access.trafficToken());
    }
    return headers;
  }
}
