package dev.sandboxer.ext.e2b;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.testing.E2bServer;
import java.util.HashMap;
import java.util.Map;

/** Hosts as an operator would register them. */
final class Accounts {

  /** A template that is no larger than what the tests ask for. */
  static final String SMALL = "small";

  private Accounts() {}

  /** Each port of each sandbox has a name. */
  static HostRef named(E2bServer server, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(Map.of("domain", server.domain()));
    settings.putAll(more);
    return of(server, settings);
  }

  /** The edge selects the sandbox by headers. */
  static HostRef shared(E2bServer server) {
    return of(server, Map.of("sandbox_url", server.url()));
  }

  private static HostRef of(E2bServer server, Map<String, Object> more) {
    Map<String, Object> settings =
        new HashMap<>(Map.of("ca_file", server.authority().toString(), "template", SMALL));
    settings.putAll(more);
    return new HostRef("rented", server.url())
        .withSettings(settings)
        .withCredentials(Map.of("api_key", server.key()));
  }
}
