package dev.sandboxer.platform.profile;

import dev.sandboxer.spi.Resources;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.Set;

/** Reads {@code resources}; where it is silent, the defaults of the language count. */
final class ResourcesParser {

  private static final long MI = 1L << 20;
  private static final Set<String> KNOWN =
      Set.of("cpus", "memory", "pids", "workspace", "tmp", "open_files");
  private static final BigDecimal MOST_CPUS = new BigDecimal(1024);
  private static final int MOST = 4_194_304;

  private final Optional<YamlMap> map;

  private ResourcesParser(Optional<YamlMap> map) {
    this.map = map;
  }

  static Resources parse(Optional<YamlValue> value) throws YamlException {
    Optional<YamlMap> map = Optional.empty();
    if (value.isPresent()) {
      map = Optional.of(value.get().map());
      map.get().allowOnly(KNOWN, Set.of());
    }
    return new ResourcesParser(map).resources();
  }

  private Resources resources() throws YamlException {
    return new Resources(
        cpus(),
        size("memory", 512 * MI),
        number("pids", 128),
        size("workspace", 256 * MI),
        size("tmp", 64 * MI),
        number("open_files", 1024));
  }

  private BigDecimal cpus() throws YamlException {
    Optional<YamlValue> value = find("cpus");
    if (value.isEmpty()) {
      return BigDecimal.ONE;
    }
    String text = value.get().text();
    BigDecimal cpus =
        text.matches("\\d{1,4}(\\.\\d{1,3})?") ? new BigDecimal(text) : BigDecimal.ZERO;
    if (cpus.signum() == 0 || cpus.compareTo(MOST_CPUS) > 0) {
      throw value
          .get()
          .wrong(
              "%s must be above 0, at most 1024, with at most three decimals, such as 1.5"
                  .formatted(value.get().shown()));
    }
    return cpus;
  }

  private long size(String key, long silent) throws YamlException {
    Optional<YamlValue> value = find(key);
    return value.isEmpty() ? silent : Units.size(value.get());
  }

  private int number(String key, int silent) throws YamlException {
    Optional<YamlValue> value = find(key);
    return value.isEmpty() ? silent : value.get().integer(1, MOST);
  }

  private Optional<YamlValue> find(String key) {
    return map.flatMap(m -> m.find(key));
  }
}
