package dev.sandboxer.cli.client;

import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the platform is and with which key it is called.
 *
 * @param base the platform's URL without a trailing slash
 * @param key the API key; null when there is none
 */
public record Endpoint(URI base, @Nullable String key) {
  private static final String DEFAULT_URL = "http://127.0.0.1:8420";

  /**
   * Reads SANDBOXER_URL and SANDBOXER_KEY, else the files `url` and `admin.key` of the home. The
   * file's key goes only to the file's URL: with another SANDBOXER_URL there is no key unless
   * SANDBOXER_KEY names one.
   *
   * @throws Failure with the usage exit code when the URL is none
   */
  public static Endpoint find(Map<String, String> environment) {
    Path home = home(environment);
    String fileUrl = read(home.resolve("url"));
    URI own = parse(fileUrl == null ? DEFAULT_URL : fileUrl, "the file " + home.resolve("url"));
    String given = environment.getOrDefault("SANDBOXER_URL", "").strip();
    URI base = given.isEmpty() ? own : parse(given, "SANDBOXER_URL");
    String key = environment.getOrDefault("SANDBOXER_KEY", "").strip();
    if (!key.isEmpty()) {
      return new Endpoint(base, key);
    }
    return new Endpoint(base, base.equals(own) ? read(home.resolve("admin.key")) : null);
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

  private static @Nullable String read(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.isEmpty() ? null : text;
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public String toString() {
    return base.toString(); // the key stays out of every message
  }
}
