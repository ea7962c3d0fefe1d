package dev.sandboxer.platform.host;

import dev.sandboxer.platform.sandbox.ExtensionId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host to be registered, or registered differently.
 *
 * @param name of the host
 * @param extension whose target it is
 * @param address how the extension reaches it
 * @param node the one that reaches it, null for this one; only where one node alone reaches it
 * @param region where it is, null if nobody says
 * @param labels for {@code require} and {@code prefer}
 * @param settings of the extension's schema for hosts
 * @param credentials names and references, {@code env:NAME} or {@code file:/PATH}
 * @param capacity how much it takes
 */
public record Registration(
    String name,
    ExtensionId extension,
    String address,
    @Nullable String node,
    @Nullable String region,
    Map<String, String> labels,
    Map<String, Object> settings,
    Map<String, String> credentials,
    Capacity capacity) {

  /** Keeps immutable copies. */
  public Registration {
    labels = Map.copyOf(labels);
    settings = Map.copyOf(settings);
    credentials = Map.copyOf(credentials);
  }
}
