package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether the operator's stores of secrets were loaded and answer. */
@Wellness
@Singleton
class SecretStoresCheck extends FeatureCheck {

  private final SecretStores stores;

  SecretStoresCheck(SecretStores stores) {
    super("secret stores");
    this.stores = stores;
  }

  @Override
  public List<Finding> findings() {
    return stores.status().stream().map(SecretStoresCheck::finding).toList();
  }

  private static Finding finding(SecretStoreStatus store) {
    String error = store.error();
    return new Finding(
        "secret store " + store.name(),
        store.well(),
        error == null ? store.state() : store.state() + ": " + error);
  }
}
