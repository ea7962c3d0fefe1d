package dev.sandboxer.platform.sink;

import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One sink as the operator wrote it down.
 *
 * @param kind of which kind it is
 * @param types wanted types, empty for all
 * @param config the sink's own settings
 */
record SinkFile(String kind, Set<String> types, ExtensionConfig config) {

  private static final Set<String> KEYS = Set.of("kind", "types", "config");
  private static final String TYPE = "[a-z]+(\\.[a-z_]+)*(\\.\\*)?";

  /**
   * Reads one.
   *
   * @param name of the file, for errors
   * @param text YAML
   * @throws YamlException naming the line, the field and what would be right
   */
  static SinkFile parse(String name, String text) throws YamlException {
    YamlMap top = YamlFile.read(name, text);
    top.allowOnly(KEYS, Set.of());
    return new SinkFile(top.get("kind").text(), types(top), config(top));
  }

  private static Set<String> types(YamlMap top) throws YamlException {
    Set<String> types = new LinkedHashSet<>();
    Optional<YamlValue> given = top.find("types");
    if (given.isPresent()) {
      for (YamlValue item : given.get().list()) {
        if (!item.text().matches(TYPE)) {
          throw item.wrong("%s must be such as sandbox.ready or sandbox.*".formatted(item.shown()));
        }
        Optional<String> unknown = EventType.unknown(item.text());
        if (unknown.isPresent()) {
          throw item.wrong(unknown.get());
        }
        types.add(item.text());
      }
    }
    return types;
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
