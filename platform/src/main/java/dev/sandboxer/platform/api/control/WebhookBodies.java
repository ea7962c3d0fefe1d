package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.webhook.RequestedWebhook;
import dev.sandboxer.platform.webhook.WebhookSecret;
import dev.sandboxer.platform.webhook.Webhooks;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the bodies of the webhook routes. */
@ApplicationScoped
class WebhookBodies {

  private static final Pattern URL = Pattern.compile(".{1,2048}");
  private static final Pattern SECRET = Pattern.compile("(?s).*");
  private static final Pattern DESCRIPTION = Pattern.compile("\\P{Cntrl}{0,256}");
  private static final Pattern TYPE = Pattern.compile("[a-z]+(\\.[a-z_]+)*(\\.\\*)?");
  private static final Pattern PROFILE = Pattern.compile("(profile\\.)?[a-z0-9][a-z0-9_-]{0,62}");
  private static final String PREFIX = "profile.";
  private static final int MOST = 32;

  private final Webhooks webhooks;

  WebhookBodies(Webhooks webhooks) {
    this.webhooks = webhooks;
  }

  RequestedWebhook requested(Body body) {
    return new RequestedWebhook(
        url(body),
        body.optionalText("description", DESCRIPTION, "at most 256 characters, in one line"),
        types(body),
        body.optionalList("profiles", PROFILE, "such as profile.local", MOST)
            .map(WebhookBodies::full),
        body.has("enabled") ? Optional.of(body.yes("enabled")) : Optional.empty());
  }

  private static Optional<List<String>> types(Body body) {
    Optional<List<String>> types =
        body.optionalList("types", TYPE, "such as sandbox.ready or sandbox.*", MOST);
    types.stream()
        .flatMap(List::stream)
        .flatMap(type -> EventType.unknown(type).stream())
        .findFirst()
        .ifPresent(
            told -> {
              throw body.invalid("field 'types': " + told);
            });
    return types;
  }

  private static List<String> full(List<String> profiles) {
    return profiles.stream()
        .map(name -> name.startsWith(PREFIX) ? name : PREFIX + name)
        .distinct()
        .toList();
  }

  private Optional<String> url(Body body) {
    Optional<String> url =
        body.optionalText("url", URL, "such as https://example.com/hook, at most 2048 characters");
    url.ifPresent(
        text -> {
          try {
            webhooks.check(text);
          } catch (IllegalArgumentException e) {
            throw body.invalid("field 'url': " + e.getMessage());
          }
        });
    return url;
  }

  /** The given secret, else a new one. No answer shows a wrong one. */
  WebhookSecret secret(Body body) {
    return body.optionalText("secret", SECRET, WebhookSecret.WANTED)
        .map(text -> parsed(body, text))
        .orElseGet(webhooks::newSecret);
  }

  private static WebhookSecret parsed(Body body, String text) {
    try {
      return WebhookSecret.parse(text);
    } catch (IllegalArgumentException e) {
      throw body.invalid("field 'secret': " + e.getMessage());
    }
  }
}
