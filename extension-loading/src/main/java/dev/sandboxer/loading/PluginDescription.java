package dev.sandboxer.loading;

import dev.sandboxer.spi.secret.SecretProvider;
import dev.sandboxer.spi.sink.EventSinkProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the provider of a sink or of a store of secrets says of itself.
 *
 * @param kind such as {@code nats}
 * @param settings names of what it reads, empty if it names none
 */
public record PluginDescription(String kind, Set<String> settings) {

  private static final String KIND = "[a-z][a-z0-9-]{0,39}";

  /** Keeps an immutable copy. */
  public PluginDescription {
    settings = Set.copyOf(settings);
  }

  /**
   * Asks a provider.
   *
   * @param provider of a sink
   * @return what it says
   * @throws RefusedException if the kind is no name of a kind
   */
  public static PluginDescription of(EventSinkProvider provider) throws RefusedException {
    return of(provider.kind(), provider.settings());
  }

  /**
   * Asks a provider.
   *
   * @param provider of a store of secrets
   * @return what it says
   * @throws RefusedException if the kind is no name of a kind
   */
  public static PluginDescription of(SecretProvider provider) throws RefusedException {
    return of(provider.kind(), provider.settings());
  }

  private static PluginDescription of(@Nullable String kind, Set<String> settings)
      throws RefusedException {
    if (kind == null || !kind.matches(KIND)) {
      throw new RefusedException(
          "the kind '%s' must be a name of up to 40 lower case letters, digits and dashes"
              .formatted(kind));
    }
    return new PluginDescription(kind, settings);
  }
}
