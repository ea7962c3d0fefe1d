package dev.sandboxer.platform.profile;

import dev.sandboxer.spi.Resources;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads {@code resources}; where it is silent, the defaults of the language count. */
final class ResourcesParser {

  private static final long MI = 1L << 20;
  static final Set<String> KNOWN =
      Set.of("cpus", "memory", "pids", "workspace", "tmp", "open_files", "setup");
  private static final BigDecimal MOST_CPUS = new BigDecimal(1024);
  private static final int MOST = 4_194_304;

  private final Optional<YamlMap> map;
  private final YamlProblems problems;

  private ResourcesParser(Optional<YamlMap> map, YamlProblems problems) {
    this.map = map;
    this.problems = problems;
  }

  static Resources parse(Optional<YamlValue> value, YamlProblems problems) {
    Optional<YamlMap> map =
        value.isEmpty()
            ? Optional.empty()
            : problems.read(Optional.empty(), () -> Optional.of(value.get().map()));
    map.ifPresent(known -> known.allowOnly(KNOWN, Set.of(), problems));
    return new ResourcesParser(map, problems).resources();
  }

  private Resources resources() {
    return new Resources(
        read("cpus", BigDecimal.ONE, ResourcesParser::cpus),
        read("memory", 512 * MI, Units::size),
        read("pids", 128, ResourcesParser::count),
        read("workspace", 256 * MI, Units::size),
        read("tmp", 64 * MI, Units::size),
        read("open_files", 1024, ResourcesParser::count));
  }

  /** What counts where the section says nothing, in the language's own words. */
  static Map<String, Object> silent() {
    Map<String, Object> silent = new LinkedHashMap<>();
    silent.put("cpus", 1);
    silent.put("memory", "512Mi");
    silent.put("pids", 128);
    silent.put("workspace", "256Mi");
    silent.put("tmp", "64Mi");
    silent.put("open_files", 1024);
    return silent;
  }

  private interface Reading<T> {
    T of(YamlValue value) throws YamlException;
  }

  private <T> T read(String key, T silent, Reading<T> reading) {
    Optional<YamlValue> value = map.flatMap(known -> known.find(key));
    return value.isEmpty() ? silent : problems.read(silent, () -> reading.of(value.get()));
  }

  private static BigDecimal cpus(YamlValue value) throws YamlException {
    String text = value.text();
    BigDecimal cpus =
        text.matches("\\d{1,4}(\\.\\d{1,3})?") ? new BigDecimal(text) : BigDecimal.ZERO;
    if (cpus.signum() == 0 || cpus.compareTo(MOST_CPUS) > 0) {
      throw value.wrong(
          "%s must be above 0, at most 1024, with at most three decimals, such as 1.5"
              .formatted(value.shown()));
    }
    return cpus;
  }

  private static int count(YamlValue value) throws YamlException {
    return value.integer(1, MOST);
  }
}
