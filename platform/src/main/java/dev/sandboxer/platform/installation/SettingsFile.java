package dev.sandboxer.platform.installation;

import dev.sandboxer.yaml.Closest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** {@code sandboxer.properties}: the keys of the environment, nothing else. */
final class SettingsFile {

  static final String NAME = "sandboxer.properties";

  private final Path file;

  SettingsFile(Path file) {
    this.file = file;
  }

  /**
   * What the file says.
   *
   * @param platform settings of the platform
   * @param extensions settings of extensions, by their whole names; not checked yet
   */
  record Values(Map<Setting, String> platform, Map<String, String> extensions) {}

  Values read() {
    Values values = new Values(new EnumMap<>(Setting.class), new HashMap<>());
    if (Files.notExists(file)) {
      return values;
    }
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new StartupException(file + " cannot be read: " + e.getMessage(), e);
    }
    for (String key : properties.stringPropertyNames()) {
      String value = properties.getProperty(key).strip();
      if (key.startsWith(ExtensionSettings.PREFIX)) {
        values.extensions().put(key, value);
      } else {
        values.platform().put(Setting.of(key).orElseThrow(() -> unknown(key)), value);
      }
    }
    values.platform().values().removeIf(String::isEmpty);
    return values;
  }

  private StartupException unknown(String key) {
    List<String> known = Arrays.stream(Setting.values()).map(Setting::name).toList();
    String hint =
        key.equals("SANDBOXER_HOME")
            ? "the home is set in the environment alone"
            : Closest.of(key, known).map(n -> "did you mean " + n + "?").orElse("see the settings");
    return new StartupException("%s has the unknown key %s: %s".formatted(file, key, hint));
  }
}
