package dev.sandboxer.yaml;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
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
    for (YamlException refused : refused(known, reserved)) {
      throw refused;
    }
  }

  /**
   * As {@link #allowOnly}, reading on.
   *
   * @param known keys that may stand here
   * @param reserved keys of the language that this release does not support
   * @param problems gets every other key
   */
  public void allowOnly(Set<String> known, Set<String> reserved, YamlProblems problems) {
    refused(known, reserved).forEach(problems::add);
  }

  private List<YamlException> refused(Set<String> known, Set<String> reserved) {
    List<YamlException> refused = new ArrayList<>();
    values.forEach(
        (key, value) -> {
          if (reserved.contains(key)) {
            refused.add(value.wrong("'" + key + "' is not supported yet"));
          } else if (!known.contains(key)) {
            refused.add(value.wrong(unknown(key, known)));
          }
        });
    return refused;
  }

  /**
   * Lays this mapping over another one: mappings merge key by key, all else is replaced.
   *
   * @param base what counts where this mapping is silent
   * @param own keys that are never taken from the base
   * @return the merged mapping; each value knows the file that it stands in
   */
  public YamlMap over(YamlMap base, Set<String> own) {
    Map<String, YamlValue> merged = new LinkedHashMap<>();
    base.values.forEach(
        (key, value) -> {
          if (!own.contains(key)) {
            merged.put(key, value);
          }
        });
    values.forEach(
        (key, value) -> {
          @Nullable YamlValue below = merged.get(key);
          merged.put(key, below == null ? value : value.over(below));
        });
    return new YamlMap(itself, merged);
  }

  /**
   * The same mapping with its texts filled in as they are read.
   *
   * @param leaves fills in
   * @return another view of this mapping
   */
  public YamlMap filled(Leaves leaves) {
    Map<String, YamlValue> filled = new LinkedHashMap<>();
    values.forEach((key, value) -> filled.put(key, value.filled(leaves)));
    return new YamlMap(itself, filled);
  }

  /**
   * The document as plain values: maps, lists, texts, numbers and booleans.
   *
   * @return changeable
   * @throws YamlException if it is nested too deeply or a key is no text
   */
  public Map<String, Object> plain() throws YamlException {
    return plain(OpenLeaves.REFUSED);
  }

  /**
   * As {@link #plain()}, with a replacement for each value that waits for an input.
   *
   * @param open replaces
   * @return changeable
   * @throws YamlException if it is nested too deeply or a key is no text
   */
  public Map<String, Object> plain(OpenLeaves open) throws YamlException {
    return plain(0, open);
  }

  Map<String, Object> plain(int depth, OpenLeaves open) throws YamlException {
    Map<String, Object> plain = new LinkedHashMap<>();
    for (Map.Entry<String, YamlValue> entry : values.entrySet()) {
      plain.put(entry.getKey(), entry.getValue().plain(depth + 1, open));
    }
    return plain;
  }

  private static String unknown(String key, Set<String> known) {
    String hint =
        Closest.of(key, known)
            .map(name -> "did you mean '" + name + "'?")
            .orElseGet(() -> "known are " + known.stream().sorted().toList());
    return "unknown key '" + key + "': " + hint;
  }
}
