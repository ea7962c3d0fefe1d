package dev.sandboxer.spi.secret;

import dev.sandboxer.spi.ExtensionConfig;
import java.util.Set;

/** The entry that {@link java.util.ServiceLoader} finds in a store's jars. */
public interface SecretProvider {

  /**
   * Names the kind of store.
   *
   * @return such as {@code openbao}: lower case letters, digits and dashes
   */
  String kind();

  /**
   * Names the settings that {@link #create} reads, for whoever checks the jars before they are
   * used.
   *
   * @return keys below {@code config}; empty if it does not say
   */
  default Set<String> settings() {
    return Set.of();
  }

  /**
   * Makes a store. It must not wait for a server, which may come later than the platform.
   *
   * @param config the store's own settings
   * @return the store, used until {@link SecretStore#close()}
   * @throws IllegalArgumentException if a setting is wrong, naming it and what would be right
   */
  SecretStore create(ExtensionConfig config);
}
