package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code limits}, by boxd's own names; where it is silent, boxd's defaults count. */
final class LimitsParser {

  static final Set<String> COUNTS =
      Set.of("processes", "connections", "watchers", "watched_folders", "searches");
  static final Set<String> SIZES =
      Set.of(
          "json_bytes",
          "header_bytes",
          "exec_output_bytes",
          "process_buffer_bytes",
          "output_memory_bytes");

  private static final long MOST_BYTES = 1L << 30;
  private static final int MOST_COUNT = 1_000_000;

  private LimitsParser() {}

  /**
   * Reads the section.
   *
   * @param value the section, if there is one
   * @param problems gets every mistake
   * @return what is set, as boxd takes it
   */
  static Map<String, Long> parse(Optional<YamlValue> value, YamlProblems problems) {
    Map<String, Long> limits = new LinkedHashMap<>();
    if (value.isEmpty()) {
      return limits;
    }
    Optional<YamlMap> map = problems.read(Optional.empty(), () -> Optional.of(value.get().map()));
    map.ifPresent(known -> known.allowOnly(known(), Set.of(), problems));
    for (String name : known()) {
      map.flatMap(all -> all.find(name))
          .ifPresent(one -> limits.put(name, problems.read(1L, () -> limit(name, one))));
    }
    return limits;
  }

  static Set<String> known() {
    Set<String> known = new TreeSet<>(COUNTS);
    known.addAll(SIZES);
    return known;
  }

  private static long limit(String name, YamlValue value) throws YamlException {
    if (COUNTS.contains(name)) {
      return value.integer(1, MOST_COUNT);
    }
    long bytes = Units.size(value);
    if (bytes > MOST_BYTES) {
      throw value.wrong(value.shown() + " is more than 1Gi");
    }
    return bytes;
  }
}
