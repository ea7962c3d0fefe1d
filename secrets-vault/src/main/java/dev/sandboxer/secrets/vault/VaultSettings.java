package dev.sandboxer.secrets.vault;

import dev.sandboxer.spi.ExtensionConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of a store.
 *
 * @param url of the server, without a path
 * @param namespace that all requests are about, if there is one
 * @param mount of the KV engine; empty if a secret's path begins with it
 * @param authorities file of the certificates to trust instead of Java's
 * @param timeout of one request
 * @param auth how it logs in
 */
record VaultSettings(
    URI url,
    Optional<String> namespace,
    Optional<String> mount,
    Optional<Path> authorities,
    Duration timeout,
    Login auth) {

  private static final String TOKEN_FILE = "token_file";
  private static final String ROLE_ID = "role_id";
  private static final String SECRET_ID_FILE = "secret_id_file";
  private static final String WRAPPED_FILE = "wrapped_secret_id_file";
  private static final String ROLE = "role";
  private static final String JWT_FILE = "jwt_file";
  private static final String AUTH_PATH = "auth_path";

  /** Keys below {@code config}. */
  static final Set<String> KNOWN =
      Set.of(
          "url",
          "plain_http",
          "namespace",
          "mount",
          "ca_file",
          "timeout_seconds",
          "auth",
          TOKEN_FILE,
          ROLE_ID,
          SECRET_ID_FILE,
          WRAPPED_FILE,
          ROLE,
          JWT_FILE,
          AUTH_PATH);

  private static final String SERVICE_ACCOUNT =
      "/var/run/secrets/kubernetes.io/serviceaccount/token";

  private static final String NAMES = "[\\w.-]+(/[\\w.-]+)*";
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /**
   * Reads and checks them.
   *
   * @throws IllegalArgumentException naming the setting and what would be right
   */
  static VaultSettings of(ExtensionConfig config) {
    Reader reader = new Reader(config);
    reader.only(KNOWN);
    return new VaultSettings(
        url(reader),
        reader.matching("namespace", NAMES, "such as team-a or team-a/dev"),
        reader.matching("mount", NAMES, "such as kv or team-a/kv"),
        reader.file("ca_file"),
        Duration.ofSeconds(
            Long.parseLong(reader.matching("timeout_seconds", "[1-9]|10", "1 to 10").orElse("5"))),
        login(reader));
  }

  private static URI url(Reader reader) {
    String text = reader.needed("url");
    boolean plain =
        reader.matching("plain_http", "true|false", "true or false").orElse("").equals("true");
    if (!text.matches("https?://(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(:\\d{1,5})?/?")) {
      throw reader.wrong("url", "such as https://vault.example.com:8200");
    }
    URI url = URI.create(text.replaceFirst("/$", ""));
    if (url.getScheme().equals("http") && !plain && !LOOPBACK.contains(url.getHost())) {
      throw reader.wrong(
          "url", "https:// where it is on another machine, or 'plain_http: true' must be set");
    }
    return url;
  }

  private static Login login(Reader reader) {
    String auth =
        reader
            .matching("auth", "token|approle|kubernetes", "token, approle or kubernetes")
            .orElse("token");
    return switch (auth) {
      case "token" -> {
        reader.without(auth, ROLE_ID, SECRET_ID_FILE, WRAPPED_FILE, ROLE, JWT_FILE, AUTH_PATH);
        yield new Login.Token(reader.neededFile(TOKEN_FILE));
      }
      case "approle" -> {
        reader.without(auth, TOKEN_FILE, ROLE, JWT_FILE);
        Optional<Path> wrapped = reader.file(WRAPPED_FILE);
        if (wrapped.isPresent()) {
          reader.without(WRAPPED_FILE, SECRET_ID_FILE);
        }
        yield new Login.AppRole(
            path(reader, auth),
            reader.needed(ROLE_ID),
            wrapped.orElseGet(() -> reader.neededFile(SECRET_ID_FILE)),
            wrapped.isPresent());
      }
      default -> {
        reader.without(auth, TOKEN_FILE, ROLE_ID, SECRET_ID_FILE, WRAPPED_FILE);
        yield new Login.Kubernetes(
            path(reader, auth),
            reader.needed(ROLE),
            reader.file(JWT_FILE).orElse(Path.of(SERVICE_ACCOUNT)));
      }
    };
  }

  private static String path(Reader reader, String usual) {
    return reader.matching(AUTH_PATH, NAMES, "such as " + usual).orElse(usual);
  }

  /** Reads settings one by one. */
  private record Reader(ExtensionConfig config) {

    void only(Set<String> known) {
      Set<String> unknown = new TreeSet<>(config.values().keySet());
      unknown.removeAll(known);
      if (!unknown.isEmpty()) {
        throw new IllegalArgumentException(
            "config has the unknown keys %s; known are %s"
                .formatted(unknown, new TreeSet<>(known)));
      }
    }

    void without(String reason, String... names) {
      for (String name : names) {
        if (config.values().containsKey(name)) {
          throw new IllegalArgumentException(
              "config.%s does not go with %s".formatted(name, reason));
        }
      }
    }

    String needed(String name) {
      String text = config.get(name, "");
      if (text.isBlank()) {
        throw new IllegalArgumentException("config.%s is missing".formatted(name));
      }
      return text;
    }

    Optional<String> matching(String name, String pattern, String right) {
      String text = config.get(name, "");
      if (!text.isEmpty() && !text.matches(pattern)) {
        throw wrong(name, right);
      }
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    Optional<Path> file(String name) {
      String text = config.get(name, "");
      if (!text.isEmpty() && !Path.of(text).isAbsolute()) {
        throw wrong(name, "an absolute path");
      }
      return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    }

    Path neededFile(String name) {
      var _ = needed(name);
      return file(name).orElseThrow();
    }

    IllegalArgumentException wrong(String name, String right) {
      return new IllegalArgumentException(
          "config.%s '%s' must be %s".formatted(name, config.get(name, ""), right));
    }
  }
}
