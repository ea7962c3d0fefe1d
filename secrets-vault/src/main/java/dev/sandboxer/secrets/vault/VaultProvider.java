package dev.sandboxer.secrets.vault;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.secret.SecretProvider;
import dev.sandboxer.spi.secret.SecretStore;
import java.util.Set;

/** What ServiceLoader finds. */
public final class VaultProvider implements SecretProvider {

  @Override
  public String kind() {
    return "vault";
  }

  @Override
  public Set<String> settings() {
    return VaultSettings.KNOWN;
  }

  @Override
  public SecretStore create(ExtensionConfig config) {
    VaultSettings settings = VaultSettings.of(config);
    VaultHttp http = new VaultHttp(settings);
    return new VaultStore(
        settings, http, new TokenKeeper(http, settings.auth(), settings.timeout()));
  }
}
