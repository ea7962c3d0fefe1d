package dev.sandboxer.platform.host;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to change of a host; what is empty stays.
 *
 * @param address how the extension reaches it
 * @param region its value, null for none
 * @param labels all of them
 * @param settings all of them
 * @param credentials all of them
 * @param capacity all of it
 */
public record HostChange(
    Optional<String> address,
    Optional<Region> region,
    Optional<Map<String, String>> labels,
    Optional<Map<String, Object>> settings,
    Optional<Map<String, String>> credentials,
    Optional<Capacity> capacity) {

  /**
   * A region that may be taken away.
   *
   * @param name null for none
   */
  public record Region(@Nullable String name) {}

  /** Whether it says how the extension reaches the host: not for a node's own machine. */
  boolean ofExtension() {
    return address.isPresent() || settings.isPresent() || credentials.isPresent();
  }
}
