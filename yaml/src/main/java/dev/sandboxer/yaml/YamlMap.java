package dev.sandboxer.yaml;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A mapping. Its keys are unique texts, in the order of the file. */
public final class YamlMap {

  private final YamlValue itself;
  private final Map<String, YamlValue> values;

  YamlMap(YamlValue itself, Map<String, YamlValue> values) {
    this.itself = itself;
    this.values = Collections.unmodifiableMap(values);
  }

  /**
   * All entries, in order.
   *
   * @return not changeable
   */
  public Map<String, YamlValue> entries() {
    return values;
  }

  /**
   * Finds a value.
   *
   * @param key to look for
   * @return empty if the key is not there
   */
  public Optional<YamlValue> find(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /**
   * Reads a value that must be there.
   *
   * @param key to look for
   * @return the value
   * @throws YamlException if it is missing
   */
  public YamlValue get(String key) throws YamlException {
    @Nullable YamlValue value = values.get(key);
    if (value == null) {
      throw itself.wrong("'" + key + "' is missing");
    }
    return value;
  }

  /**
   * Refuses what is not known.
   *
   * @param known keys that may stand here
   * @param reserved keys of the language that this release does not support
   * @throws YamlException for the first other key, with the key that was probably meant
   */
  public void allowOnly(Set<String> known, Set<String> reserved) throws YamlException {
    for (Map.Entry<String, YamlValue> entry : values.entrySet()) {
      String key = entry.getKey();
      if (reserved.contains(key)) {
        throw entry.getValue().wrong("'" + key + "' is not supported yet");
      }
      if (!known.contains(key)) {
        throw entry.getValue().wrong(unknown(key, known));
      }
    }
  }

  private static String unknown(String key, Set<String> known) {
    String hint =
        Closest.of(key, known)
            .map(name -> "did you mean '" + name + "'?")
            .orElseGet(() -> "known are " + known.stream().sorted().toList());
    return "unknown key '" + key + "': " + hint;
  }
}
