package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads one document of the profile language, which may be merged from several layers. What is not
 * known, or not supported yet, is refused.
 */
final class ProfileParser {

  /** The keys, in the order in which a whole document shows them. */
  static final List<String> KEYS =
      List.of(
          "id",
          "version",
          "extends",
          "description",
          "extension",
          "routing",
          "caller_routing",
          "max_cost",
          "image",
          "isolation",
          "resources",
          "limits",
          "network",
          "mounts",
          "caller_mounts",
          "options",
          "env",
          "secret_refs",
          "setup",
          "inputs",
          "ttl",
          "idle",
          "hard_ttl",
          "on_idle",
          "on_lost",
          "lost_after",
          "labels",
          "capabilities",
          "best_effort");

  static final Set<String> KNOWN = Set.copyOf(KEYS);
  static final Set<String> RESERVED = Set.of("placement", "warm");

  static final String TTL = "30m";
  static final String IDLE = "15m";
  static final String HARD_TTL = "8h";

  private static final Duration DEFAULT_TTL = Duration.ofMinutes(30);
  private static final Duration DEFAULT_IDLE = Duration.ofMinutes(15);
  private static final Duration DEFAULT_HARD_TTL = Duration.ofHours(8);
  private static final Duration LONGEST = Duration.ofDays(30);

  /** Whoever names the backend of processes alone means a process, with an image as well. */
  private static final List<ExtensionId> PROCESSES = List.of(new ExtensionId("ext.nsjail"));

  private static final int MAX_DESCRIPTION = 500;

  private final YamlMap top;
  private final YamlProblems problems;

  private ProfileParser(YamlMap top, YamlProblems problems) {
    this.top = top;
    this.problems = problems;
  }

  /**
   * Reads one profile to its end.
   *
   * @param top the document, its inputs filled in
   * @param problems gets every mistake
   * @return what counts only if there was no mistake; where an input is not known, the field is as
   *     if it were silent
   */
  static Profile parse(YamlMap top, YamlProblems problems) {
    return new ProfileParser(top, problems).profile();
  }

  private Profile profile() {
    top.allowOnly(KNOWN, RESERVED, problems);
    String id = must("id", "profile\\.[a-z0-9][a-z0-9-]{0,62}", "profile.<name>");
    int version = problems.read(1, () -> top.get("version").integer(1, 999_999_999));
    String description = read("description", "", ProfileParser::description);
    @Nullable String image = read("image", null, this::image);
    Routing routing = RoutingParser.parse(top, problems);
    IsolationParser.Isolation isolation =
        IsolationParser.parse(
            top.find("isolation"), image, routing.extensions().equals(PROCESSES), problems);
    Network network = read("network", Network.NONE, value -> NetworkParser.parse(value, problems));
    Map<String, String> env = texts("env", "[A-Za-z_][A-Za-z0-9_]{0,127}", 8192);
    Duration hardTtl = read("hard_ttl", DEFAULT_HARD_TTL, value -> within(value, LONGEST, "30d"));
    return new Profile(
        id,
        version,
        description,
        routing,
        read("caller_routing", false, Constants::truth),
        image,
        isolation.level(),
        isolation.runtime(),
        ResourcesParser.parse(top.find("resources"), problems),
        LimitsParser.parse(top.find("limits"), problems),
        network,
        MountsParser.parse(top.find("mounts"), problems),
        CallerMountsParser.parse(top.find("caller_mounts"), problems),
        read("options", Map.of(), value -> value.map().plain()),
        env,
        SecretsParser.parse(
            top.find("secret_refs"),
            env.keySet(),
            network,
            top.find("image").isPresent(),
            problems),
        SetupParser.parse(top.find("setup"), top.find("resources"), env.keySet(), problems),
        span("ttl", DEFAULT_TTL, hardTtl),
        span("idle", DEFAULT_IDLE, hardTtl),
        hardTtl,
        texts("labels", "[a-z0-9][a-z0-9._/-]{0,62}", 255),
        capabilities(),
        some("best_effort", Set.of(), item -> Constants.of(Limit.class, item)));
  }

  /** Reads a value that is there. */
  private interface Reading<T extends @Nullable Object> {
    T of(YamlValue value) throws YamlException;
  }

  private <T extends @Nullable Object> T read(String key, T silent, Reading<T> reading) {
    Optional<YamlValue> value = top.find(key);
    return value.isEmpty() ? silent : problems.read(silent, () -> reading.of(value.get()));
  }

  private String must(String key, String pattern, String form) {
    return problems.read(
        "",
        () -> {
          YamlValue value = top.get(key);
          String text = value.text();
          if (!text.matches(pattern)) {
            throw value.wrong(
                "%s must be %s, lower case letters, digits and dashes"
                    .formatted(value.shown(), form));
          }
          return text;
        });
  }

  private static String description(YamlValue value) throws YamlException {
    String text = value.text();
    if (text.length() > MAX_DESCRIPTION) {
      throw value.wrong(
          "it may have %d characters and has %d".formatted(MAX_DESCRIPTION, text.length()));
    }
    return text;
  }

  private String image(YamlValue value) throws YamlException {
    String text = value.text();
    try {
      return ImageName.parse(text).text();
    } catch (IllegalArgumentException e) {
      throw value.wrong(
          "%s must be an image reference, such as python:3.12-slim or host:5000/team/app@sha256:..."
              .formatted(value.shown()));
    }
  }

  /** A time to live; where it is silent, never more than the longest life. */
  private Duration span(String key, Duration silent, Duration hardTtl) {
    Duration fallback = silent.compareTo(hardTtl) < 0 ? silent : hardTtl;
    return read(key, fallback, value -> within(value, hardTtl, "hard_ttl"));
  }

  private static Duration within(YamlValue value, Duration most, String named)
      throws YamlException {
    Duration span = Units.duration(value);
    if (span.compareTo(most) > 0) {
      throw value.wrong(
          "%s is longer than %s (%s)".formatted(value.shown(), named, Units.text(most)));
    }
    return span;
  }

  private Map<String, String> texts(String key, String names, int longest) {
    Map<String, String> texts = new LinkedHashMap<>();
    return read(
        key,
        texts,
        value -> {
          value.map().entries().forEach((name, item) -> entry(texts, name, item, names, longest));
          return texts;
        });
  }

  private void entry(
      Map<String, String> texts, String name, YamlValue item, String names, int longest) {
    var _ =
        problems.<@Nullable String>read(
            null,
            () -> {
              if (!name.matches(names)) {
                throw item.wrong("the name '%s' must match %s".formatted(name, names));
              }
              String text = item.text();
              if (text.length() > longest || text.indexOf('\0') >= 0) {
                throw item.wrong("it may have %d characters, none of them NUL".formatted(longest));
              }
              return texts.put(name, text);
            });
  }

  private Set<Capability> capabilities() {
    Set<Capability> named = some("capabilities", Capability.grantable(), ProfileParser::capability);
    Optional<YamlValue> value = top.find("capabilities");
    if (value.isPresent() && named.isEmpty()) {
      problems.add(value.get().wrong("name at least one, or leave it out for all"));
    }
    return named;
  }

  private static Capability capability(YamlValue item) throws YamlException {
    String text = item.text();
    Optional<Capability> known = Capability.of(text).filter(Capability.grantable()::contains);
    return known.orElseThrow(
        () ->
            Constants.unknown(
                item,
                text,
                Capability.grantable().stream()
                    .map(Capability::wireName)
                    .collect(Collectors.toSet())));
  }

  private <T> Set<T> some(String key, Set<T> silent, Reading<T> reading) {
    return read(
        key,
        silent,
        value -> {
          Set<T> found = new LinkedHashSet<>();
          for (YamlValue item : value.list()) {
            @Nullable T one = problems.<@Nullable T>read(null, () -> reading.of(item));
            if (one != null) {
              found.add(one);
            }
          }
          return found;
        });
  }
}
