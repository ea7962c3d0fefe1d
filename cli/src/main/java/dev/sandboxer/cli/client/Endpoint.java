package dev.sandboxer.cli.client;

import dev.sandboxer.cli.Failure;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where the platform is and with which key it is called.
 *
 * @param base the platform's URL without a trailing slash
 * @param key the API key
 */
public record Endpoint(URI base, String key) {

  /**
   * Reads SANDBOXER_URL and SANDBOXER_KEY, else what the home's platform wrote down: the files
   * `url` and `admin.key`. The home's key goes to no other address than that one, and only while
   * that platform runs.
   *
   * @throws Failure when no platform runs for the home, when there is no key for SANDBOXER_URL, or
   *     when a URL is not one
   */
  public static Endpoint find(Map<String, String> environment) {
    String url = environment.getOrDefault("SANDBOXER_URL", "").strip();
    String key = environment.getOrDefault("SANDBOXER_KEY", "").strip();
    if (!url.isEmpty() && !key.isEmpty()) {
      return new Endpoint(parse(url, "SANDBOXER_URL"), key);
    }
    HomePlatform platform = new HomePlatform(home(environment));
    Optional<URI> own = platform.url().map(text -> parse(text, platform.toString()));
    if (!url.isEmpty()) {
      URI base = parse(url, "SANDBOXER_URL");
      return new Endpoint(
          base,
          own.filter(base::equals)
              .flatMap(_ -> platform.key())
              .orElseThrow(() -> unnamed(base, platform)));
    }
    URI base = own.orElseThrow(() -> notRunning(platform));
    return new Endpoint(
        base, key.isEmpty() ? platform.key().orElseThrow(() -> unnamed(base, platform)) : key);
  }

  private static Failure notRunning(HomePlatform platform) {
    return Failure.sandboxer(
        "no platform is running for this home; ./sandboxer up --detach starts one (%s; SANDBOXER_URL and SANDBOXER_KEY name another platform)"
            .formatted(platform));
  }

  private static Failure unnamed(URI base, HomePlatform platform) {
    return Failure.usage(
        "no key is named for %s: set SANDBOXER_KEY=sbxk_...; the key of %s is sent only to the platform that runs there"
            .formatted(base, platform));
  }

  /**
   * SANDBOXER_HOME, default `$HOME/.sandboxer`; from the environment, never from Java's user.home.
   */
  public static Path home(Map<String, String> environment) {
    String home = environment.getOrDefault("SANDBOXER_HOME", "");
    if (!home.isEmpty()) {
      return Path.of(home);
    }
    String user = environment.getOrDefault("HOME", "");
    if (user.isEmpty()) {
      throw Failure.usage("neither SANDBOXER_HOME nor HOME is set: set one of them");
    }
    return Path.of(user, ".sandboxer");
  }

  private static URI parse(String text, String source) {
    try {
      URI uri = new URI(text.replaceAll("/+$", ""));
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (http && uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // told below, like every other text that is no URL
    }
    throw Failure.usage(source + " is not an http or https URL: " + text);
  }

  @Override
  public String toString() {
    return base.toString(); // the key stays out of every message
  }
}
