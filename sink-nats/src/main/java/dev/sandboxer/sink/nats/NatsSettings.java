package dev.sandboxer.sink.nats;

import dev.sandboxer.spi.ExtensionConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of a NATS sink.
 *
 * @param servers to connect to, one after the other
 * @param subject first part of the messages' subjects
 * @param stream JetStream's stream that keeps them, empty for plain messages
 * @param createStream true if the sink makes the stream where it is missing
 * @param credentials file of a user's credentials, if there is one
 * @param token file that holds a token, if there is one
 */
record NatsSettings(
    List<String> servers,
    String subject,
    Optional<String> stream,
    boolean createStream,
    Optional<Path> credentials,
    Optional<Path> token) {

  /** Keys below {@code config}. */
  static final Set<String> KNOWN =
      Set.of("url", "subject", "mode", "stream", "create_stream", "credentials_file", "token_file");

  private static final String TOKEN = "[A-Za-z0-9_-]+";

  /**
   * Reads and checks them.
   *
   * @throws IllegalArgumentException naming the setting and what would be right
   */
  static NatsSettings of(ExtensionConfig config) {
    Set<String> unknown = new TreeSet<>(config.values().keySet());
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "config has the unknown keys %s; known are %s".formatted(unknown, new TreeSet<>(KNOWN)));
    }
    boolean kept = choice(config, "mode", "jetstream", "core").equals("jetstream");
    return new NatsSettings(
        servers(config.get("url", "")),
        matching(
            "subject", config.get("subject", "sandboxer.events"), TOKEN + "(\\." + TOKEN + ")*"),
        kept
            ? Optional.of(matching("stream", config.get("stream", "SANDBOXER"), TOKEN))
            : Optional.empty(),
        choice(config, "create_stream", "false", "true").equals("true"),
        file(config, "credentials_file"),
        file(config, "token_file"));
  }

  private static List<String> servers(String text) {
    List<String> servers =
        Arrays.stream(text.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
    boolean right = servers.stream().allMatch(s -> s.matches("(nats|tls)://[^\\s/@]+"));
    if (servers.isEmpty() || !right) {
      throw new IllegalArgumentException(
          "config.url '%s' must be such as nats://nats.example.com:4222, or several of these"
              .formatted(text));
    }
    return servers;
  }

  private static String choice(ExtensionConfig config, String name, String usual, String other) {
    return matching(name, config.get(name, usual), usual + "|" + other);
  }

  private static String matching(String name, String text, String pattern) {
    if (!text.matches(pattern)) {
      throw new IllegalArgumentException(
          "config.%s '%s' must be %s".formatted(name, text, shown(pattern)));
    }
    return text;
  }

  private static String shown(String pattern) {
    return pattern.startsWith("[")
        ? "letters, digits, _ and -" + (pattern.contains("(") ? ", in parts with dots between" : "")
        : pattern.replace("|", " or ");
  }

  private static Optional<Path> file(ExtensionConfig config, String name) {
    String text = config.get(name, "");
    if (!text.isEmpty() && !Path.of(text).isAbsolute()) {
      throw new IllegalArgumentException(
          "config.%s '%s' must be an absolute path".formatted(name, text));
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }
}
