package dev.sandboxer.platform.profile;

import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the profile language. What is not known, or not supported yet, is refused. */
final class ProfileParser {

  private static final Set<String> KNOWN =
      Set.of(
          "id",
          "version",
          "description",
          "extension",
          "image",
          "isolation",
          "resources",
          "env",
          "ttl",
          "labels",
          "best_effort");
  private static final Set<String> RESERVED =
      Set.of(
          "extends",
          "routing",
          "network",
          "mounts",
          "secret_refs",
          "inputs",
          "idle",
          "hard_ttl",
          "on_idle",
          "placement",
          "warm",
          "setup");
  private static final Duration DEFAULT_TTL = Duration.ofMinutes(30);
  private static final Duration HARD_TTL = Duration.ofHours(8);
  private static final int MAX_DESCRIPTION = 500;
  private static final int MAX_IMAGE = 512;

  /**
   * {@code [host[:port]/]path[:tag][@digest]}, as engines read it; each part starts with a letter
   * or digit.
   */
  private static final Pattern IMAGE =
      Pattern.compile(
          "[A-Za-z0-9][A-Za-z0-9.-]*(?::\\d{1,5}(?=/))?(?:/[a-z0-9][a-z0-9._-]*)*"
              + "(?::\\w[\\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,128})?");

  private ProfileParser() {}

  /**
   * Reads one profile.
   *
   * @param file for errors
   * @param text of the file
   */
  static Profile parse(String file, String text) throws YamlException {
    YamlMap top = YamlFile.read(file, text);
    top.allowOnly(KNOWN, RESERVED);
    @Nullable String image = image(top);
    @Nullable YamlMap isolation = isolation(top);
    return new Profile(
        matching(top.get("id"), "profile\\.[a-z0-9][a-z0-9-]{0,62}", "profile.<name>"),
        top.get("version").integer(1, 999_999_999),
        description(top),
        matching(top.get("extension"), "ext\\.[a-z0-9][a-z0-9-]{0,39}", "ext.<name>"),
        image,
        level(isolation, image),
        runtime(isolation),
        ResourcesParser.parse(top.find("resources")),
        texts(top.find("env"), "[A-Za-z_][A-Za-z0-9_]{0,127}", 8192),
        ttl(top),
        HARD_TTL,
        texts(top.find("labels"), "[a-z0-9][a-z0-9._/-]{0,62}", 255),
        bestEffort(top));
  }

  private static String matching(YamlValue value, String pattern, String form)
      throws YamlException {
    String text = value.text();
    if (!text.matches(pattern)) {
      throw value.wrong(
          "%s must be %s, lower case letters, digits and dashes".formatted(value.shown(), form));
    }
    return text;
  }

  private static String description(YamlMap top) throws YamlException {
    Optional<YamlValue> value = top.find("description");
    if (value.isEmpty()) {
      return "";
    }
    String text = value.get().text();
    if (text.length() > MAX_DESCRIPTION) {
      throw value
          .get()
          .wrong("it may have %d characters and has %d".formatted(MAX_DESCRIPTION, text.length()));
    }
    return text;
  }

  private static @Nullable String image(YamlMap top) throws YamlException {
    Optional<YamlValue> value = top.find("image");
    if (value.isEmpty()) {
      return null;
    }
    String text = value.get().text();
    if (!IMAGE.matcher(text).matches() || text.length() > MAX_IMAGE) {
      throw value
          .get()
          .wrong(
              "%s must be an image reference, such as python:3.12-slim or host:5000/team/app@sha256:..."
                  .formatted(value.get().shown()));
    }
    return text;
  }

  private static @Nullable YamlMap isolation(YamlMap top) throws YamlException {
    Optional<YamlValue> value = top.find("isolation");
    if (value.isEmpty()) {
      return null;
    }
    YamlMap map = value.get().map();
    map.allowOnly(Set.of("level", "runtime"), Set.of());
    return map;
  }

  /** An image alone asks for a container: nothing weaker has a root file system of its own. */
  private static IsolationLevel level(@Nullable YamlMap isolation, @Nullable String image)
      throws YamlException {
    if (isolation == null || isolation.find("level").isEmpty()) {
      return image == null ? IsolationLevel.PROCESS : IsolationLevel.CONTAINER;
    }
    return constant(IsolationLevel.class, isolation.get("level"));
  }

  private static @Nullable String runtime(@Nullable YamlMap isolation) throws YamlException {
    Optional<YamlValue> value = isolation == null ? Optional.empty() : isolation.find("runtime");
    if (value.isEmpty()) {
      return null;
    }
    String text = value.get().text();
    if (!text.matches("[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}")) {
      throw value
          .get()
          .wrong(
              "%s must be the name of a runtime of the engine, such as runc or runsc"
                  .formatted(value.get().shown()));
    }
    return text;
  }

  private static Duration ttl(YamlMap top) throws YamlException {
    Optional<YamlValue> value = top.find("ttl");
    if (value.isEmpty()) {
      return DEFAULT_TTL;
    }
    Duration ttl = Units.duration(value.get());
    if (ttl.compareTo(HARD_TTL) > 0) {
      throw value
          .get()
          .wrong(
              "%s is longer than 8h, the longest life of a sandbox".formatted(value.get().shown()));
    }
    return ttl;
  }

  private static Map<String, String> texts(Optional<YamlValue> value, String names, int longest)
      throws YamlException {
    Map<String, String> texts = new LinkedHashMap<>();
    if (value.isEmpty()) {
      return texts;
    }
    for (Map.Entry<String, YamlValue> entry : value.get().map().entries().entrySet()) {
      YamlValue item = entry.getValue();
      if (!entry.getKey().matches(names)) {
        throw item.wrong("the name '%s' must match %s".formatted(entry.getKey(), names));
      }
      String text = item.text();
      if (text.length() > longest || text.indexOf('\0') >= 0) {
        throw item.wrong("it may have %d characters, none of them NUL".formatted(longest));
      }
      texts.put(entry.getKey(), text);
    }
    return texts;
  }

  private static Set<Limit> bestEffort(YamlMap top) throws YamlException {
    Set<Limit> limits = EnumSet.noneOf(Limit.class);
    Optional<YamlValue> value = top.find("best_effort");
    if (value.isPresent()) {
      for (YamlValue item : value.get().list()) {
        limits.add(constant(Limit.class, item));
      }
    }
    return limits;
  }

  private static <E extends Enum<E>> E constant(Class<E> type, YamlValue value)
      throws YamlException {
    String text = value.text();
    Set<String> names = new TreeSet<>();
    for (E constant : type.getEnumConstants()) {
      String name = constant.name().toLowerCase(Locale.ROOT);
      if (name.equals(text)) {
        return constant;
      }
      names.add(name);
    }
    throw value.wrong("%s must be one of %s".formatted(value.shown(), names));
  }
}
