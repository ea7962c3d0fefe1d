package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventFilter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A webhook as a delivery needs it.
 *
 * @param id {@code whk_...}
 * @param url to call
 * @param types wanted types, empty for all
 * @param profiles whose sandboxes are wanted, empty for all
 * @param active false while it is paused
 * @param failures failed tries since the last success
 * @param secrets that count now, the newest first
 */
record Target(
    String id,
    String url,
    Set<String> types,
    Set<String> profiles,
    boolean active,
    int failures,
    List<WebhookSecret> secrets) {

  boolean wants(Event event) {
    return EventFilter.matchesType(types, event.type())
        && (profiles.isEmpty()
            || profiles.contains(String.valueOf(event.detail().get("profile_id"))));
  }

  /** One signature a secret, separated by blanks. */
  String sign(String messageId, long timestamp, String body) {
    return secrets.stream()
        .map(secret -> secret.sign(messageId, timestamp, body))
        .collect(Collectors.joining(" "));
  }
}
