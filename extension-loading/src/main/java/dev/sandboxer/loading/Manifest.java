package dev.sandboxer.loading;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * {@code extension.yaml}: the operator's settings for an extension, and what it shall not offer.
 */
public final class Manifest {

  private static final Set<String> KEYS =
      Set.of("config", "isolation_levels", "network_modes", "limits", "regions", "architectures");

  static final Manifest NONE = new Manifest(Optional.empty());

  private final Optional<YamlMap> top;

  private Manifest(Optional<YamlMap> top) {
    this.top = top;
  }

  /**
   * Reads the one of a folder.
   *
   * @param folder of an extension; there need not be a manifest in it
   * @return what it says
   * @throws IOException if it cannot be read
   * @throws YamlException if it is no YAML or has an unknown key
   */
  public static Manifest of(Path folder) throws IOException, YamlException {
    Path file = folder.resolve("extension.yaml");
    if (Files.notExists(file)) {
      return NONE;
    }
    YamlMap top = YamlFile.read(file.getFileName().toString(), Files.readString(file));
    top.allowOnly(KEYS, Set.of());
    return new Manifest(Optional.of(top));
  }

  /**
   * Whether there is a file.
   *
   * @return false if the folder has none
   */
  public boolean exists() {
    return top.isPresent();
  }

  /**
   * The extension's own settings.
   *
   * @return empty if there are none
   * @throws YamlException if a value is no text
   */
  public ExtensionConfig config() throws YamlException {
    Map<String, String> values = new LinkedHashMap<>();
    Optional<YamlValue> config = top.flatMap(t -> t.find("config"));
    if (config.isPresent()) {
      for (Map.Entry<String, YamlValue> entry : config.get().map().entries().entrySet()) {
        values.put(entry.getKey(), entry.getValue().text());
      }
    }
    return new ExtensionConfig(values);
  }

  /**
   * The descriptor as the operator wants it here.
   *
   * @param d as declared
   * @return with nothing more
   * @throws YamlException if the manifest names what is not declared
   */
  public ExtensionDescriptor narrow(ExtensionDescriptor d) throws YamlException {
    return d.toBuilder()
        .isolationLevels(narrowed("isolation_levels", d.isolationLevels(), Manifest::lowerCase))
        .networkModes(narrowed("network_modes", d.networkModes(), Manifest::lowerCase))
        .limits(narrowed("limits", d.limits(), Manifest::lowerCase))
        .regions(narrowed("regions", d.regions(), Function.identity()))
        .architectures(narrowed("architectures", d.architectures(), Function.identity()))
        .build();
  }

  private <T> Set<T> narrowed(String key, Set<T> declared, Function<T, String> name)
      throws YamlException {
    Optional<YamlValue> value = top.flatMap(t -> t.find(key));
    if (value.isEmpty()) {
      return declared;
    }
    Set<T> kept = new LinkedHashSet<>();
    for (YamlValue item : value.get().list()) {
      String wanted = item.text();
      kept.add(
          declared.stream()
              .filter(candidate -> name.apply(candidate).equals(wanted))
              .findFirst()
              .orElseThrow(() -> wider(item, declared.stream().map(name).sorted().toList())));
    }
    return kept;
  }

  private static YamlException wider(YamlValue item, Iterable<String> declared) {
    return item.wrong(
        "%s is more than the extension declares; it may only be narrowed, and declares %s"
            .formatted(item.shown(), declared));
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
