package dev.sandboxer.spi;

import java.util.Map;

/**
 * The extension's own settings, from {@code config} in its {@code extension.yaml}.
 *
 * @param values names and values as text; empty if there is no file
 */
public record ExtensionConfig(Map<String, String> values) {

  /** Keeps an immutable copy. */
  public ExtensionConfig {
    values = Map.copyOf(values);
  }

  /**
   * Reads one setting.
   *
   * @param name of the setting
   * @param fallback value where it is not set
   * @return the value, else the fallback
   */
  public String get(String name, String fallback) {
    return values.getOrDefault(name, fallback);
  }
}
