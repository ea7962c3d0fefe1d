package dev.sandboxer.platform.plugin;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One plug-in as the operator wrote it down.
 *
 * @param name of the plug-in
 * @param kind of which kind it is
 * @param config its own settings
 * @param top the whole file
 */
public record PluginFile(String name, String kind, ExtensionConfig config, YamlMap top) {

  private static final Set<String> KEYS = Set.of("kind", "config");

  /**
   * Reads one.
   *
   * @param name of the plug-in
   * @param file its name, for errors
   * @param text YAML
   * @param further keys of its sort
   * @throws YamlException naming the line, the field and what would be right
   */
  static PluginFile parse(String name, String file, String text, Set<String> further)
      throws YamlException {
    YamlMap top = YamlFile.read(file, text);
    Set<String> known = new TreeSet<>(KEYS);
    known.addAll(further);
    top.allowOnly(known, Set.of());
    return new PluginFile(name, top.get("kind").text(), config(top), top);
  }

  private static ExtensionConfig config(YamlMap top) throws YamlException {
    Map<String, String> values = new LinkedHashMap<>();
    Optional<YamlValue> given = top.find("config");
    if (given.isPresent()) {
      for (Map.Entry<String, YamlValue> entry : given.get().map().entries().entrySet()) {
        values.put(entry.getKey(), entry.getValue().text());
      }
    }
    return new ExtensionConfig(values);
  }
}
