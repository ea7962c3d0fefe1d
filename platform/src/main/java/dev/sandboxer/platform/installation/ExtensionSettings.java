package dev.sandboxer.platform.installation;

import dev.sandboxer.yaml.Closest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of extensions, {@code SANDBOXER_EXT_<NAME>_<KEY>}: in the environment, else in
 * {@code sandboxer.properties}. Which keys there are, each extension declares.
 */
public final class ExtensionSettings {

  static final String PREFIX = "SANDBOXER_EXT_";

  /** Settings of the platform that set-up and the command line read as well. */
  private static final Map<String, Setting> OTHER_NAMES =
      Map.of(
          PREFIX + "NSJAIL_PATH", Setting.SANDBOXER_NSJAIL,
          PREFIX + "DOCKER_HOST", Setting.SANDBOXER_DOCKER_HOST);

  private final Map<String, String> file;
  private final Environment environment;
  private final Function<Setting, Optional<String>> platform;

  ExtensionSettings(
      Map<String, String> file,
      Environment environment,
      Function<Setting, Optional<String>> platform) {
    this.file = Map.copyOf(file);
    this.environment = environment;
    this.platform = platform;
  }

  /**
   * Reads one setting.
   *
   * @param extensionId such as {@code ext.nsjail}
   * @param key as the extension declares it
   * @return empty if it is not set
   */
  public Optional<String> value(String extensionId, String key) {
    String name = name(extensionId, key);
    @Nullable String set = environment.get(name);
    if (set != null && !set.isBlank()) {
      return Optional.of(set.strip());
    }
    return Optional.ofNullable(file.get(name))
        .or(() -> Optional.ofNullable(OTHER_NAMES.get(name)).flatMap(platform));
  }

  /**
   * Refuses a key of the file that begins like those of a loaded extension and that no extension
   * declares.
   *
   * @param declared the keys of each loaded extension, by its id
   * @throws StartupException naming the key and the one that was probably meant
   */
  public void requireDeclared(Map<String, Set<String>> declared) {
    List<String> known = new ArrayList<>();
    declared.forEach((id, keys) -> keys.forEach(key -> known.add(name(id, key))));
    for (String name : file.keySet().stream().sorted().toList()) {
      if (!known.contains(name)) {
        declared.keySet().stream()
            .filter(id -> name.startsWith(name(id, "")))
            .findFirst()
            .ifPresent(id -> refuse(name, id, known));
      }
    }
  }

  private static void refuse(String name, String extensionId, List<String> known) {
    List<String> own = known.stream().filter(k -> k.startsWith(name(extensionId, ""))).toList();
    String hint =
        Closest.of(name, own)
            .map(near -> "did you mean " + near + "?")
            .orElseGet(() -> extensionId + " has " + (own.isEmpty() ? "no settings" : own));
    throw new StartupException(
        "%s has the unknown key %s: %s".formatted(SettingsFile.NAME, name, hint));
  }

  private static String name(String extensionId, String key) {
    String name = extensionId.substring(extensionId.indexOf('.') + 1);
    return PREFIX + upper(name) + "_" + upper(key);
  }

  private static String upper(String text) {
    return text.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
