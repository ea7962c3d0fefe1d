package dev.sandboxer.platform.access;

import dev.sandboxer.platform.database.Transactions;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Keys that stand for a door with credentials of its own, so that records and audit can name who
 * asked. Nobody knows their secrets.
 */
@ApplicationScoped
public class ServiceKeys {

  private static final String OF_TENANT = "tenant.name = ?1 and name = ?2 and endedAt is null";

  private final Transactions transactions;
  private final Tenants tenants;
  private final ApiKeys keys;
  private final ApiKeyRepository stored;

  ServiceKeys(Transactions transactions, Tenants tenants, ApiKeys keys, ApiKeyRepository stored) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.keys = keys;
    this.stored = stored;
  }

  /**
   * The key of a door in a tenant; tenant and key are made where they are not there.
   *
   * @param tenant name of the tenant
   * @param name of the key, for people
   * @return with role consumer
   */
  public Principal ensure(String tenant, String name) {
    return transactions.inTransaction(
        open -> {
          ApiKeyEntity key =
              find(tenant, name)
                  .orElseGet(
                      () -> {
                        open.execute("lock table api_key in share row exclusive mode");
                        return find(tenant, name).orElseGet(() -> make(tenant, name));
                      });
          return new Principal(key.id, key.tenant.id, Role.CONSUMER);
        });
  }

  private Optional<ApiKeyEntity> find(String tenant, String name) {
    return stored.find(OF_TENANT, tenant, name).firstResultOptional();
  }

  private ApiKeyEntity make(String tenant, String name) {
    return keys.insert(
        tenants.ensure(tenant),
        name,
        Role.CONSUMER,
        Limits.NONE,
        KeySecret.make(new SecureRandom()));
  }
}
