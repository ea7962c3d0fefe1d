package dev.sandboxer.platform.secret;

import dev.sandboxer.loading.PluginDescription;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.plugin.PluginContext;
import dev.sandboxer.platform.plugin.PluginFile;
import dev.sandboxer.platform.plugin.PluginKind;
import dev.sandboxer.platform.plugin.PluginSort;
import dev.sandboxer.spi.secret.SecretProvider;
import java.util.Set;

/** How stores of secrets are loaded. */
final class SecretStoreSort implements PluginSort<SecretProvider, CalledStore> {

  @Override
  public String folder() {
    return "secret-stores";
  }

  @Override
  public String noun() {
    return "secret store";
  }

  @Override
  public Class<SecretProvider> service() {
    return SecretProvider.class;
  }

  /** The stores that are always there. */
  @Override
  public Set<String> taken() {
    return Set.of(Reference.ENV, Reference.FILE);
  }

  @Override
  public PluginDescription describe(SecretProvider provider) throws RefusedException {
    return PluginDescription.of(provider);
  }

  @Override
  public CalledStore make(PluginKind<SecretProvider> kind, PluginFile file) {
    try (PluginContext _ = kind.enter()) {
      return new CalledStore(file.name(), kind, kind.provider().create(file.config()));
    }
  }
}
