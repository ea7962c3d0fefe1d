package dev.sandboxer.platform.access;

import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** Keys: made, shown once, looked up by id, compared by hash in constant time. */
@ApplicationScoped
public class ApiKeys {

  private static final String COUNTS = "id = ?1 and endedAt is null";

  private final Transactions transactions;
  private final ApiKeyRepository keys;
  private final TenantRepository tenants;
  private final RecentKeys recent;
  private final SecureRandom random = new SecureRandom();

  ApiKeys(
      Transactions transactions,
      ApiKeyRepository keys,
      TenantRepository tenants,
      RecentKeys recent) {
    this.transactions = transactions;
    this.keys = keys;
    this.tenants = tenants;
    this.recent = recent;
  }

  /**
   * Finds who a key is.
   *
   * @param text of the key
   * @return empty if there is no such key or it was ended
   */
  public Optional<Principal> authenticate(String text) {
    return KeySecret.parse(text).flatMap(secret -> recent.find(secret, () -> lookUp(secret.id())));
  }

  /**
   * Whether a key is one that this node has read before. Asks no database.
   *
   * @param text of the key
   * @return true as well if its secret is wrong
   */
  public boolean seen(String text) {
    return KeySecret.parse(text).filter(secret -> recent.seen(secret.id())).isPresent();
  }

  private Optional<RecentKeys.Found> lookUp(String id) {
    return transactions
        .read(() -> keys.find(COUNTS, id).singleResultOptional())
        .map(ApiKeyEntity::found);
  }

  /**
   * Whether a key that was shown before still counts.
   *
   * @param id of the key
   * @return false once it was ended, here or on another node
   */
  public boolean counts(String id) {
    return transactions.read(() -> keys.count(COUNTS, id)) == 1;
  }

  /**
   * Makes a key, in the open transaction.
   *
   * @param tenant owner
   * @param name for people
   * @param role what it may do
   * @param limits what it is narrowed to
   * @return the key and its text, which is shown this once
   */
  public Made make(Tenant tenant, String name, Role role, Limits limits) {
    KeySecret secret = KeySecret.make(random);
    ApiKeyEntity key = insert(tenants.findById(tenant.id()), name, role, limits, secret);
    return new Made(key.key(), secret.text());
  }

  ApiKeyEntity insert(
      TenantEntity tenant, String name, Role role, Limits limits, KeySecret secret) {
    ApiKeyEntity key = new ApiKeyEntity();
    key.id = secret.id();
    key.tenant = tenant;
    key.name = name;
    key.role = role.text();
    key.secretHash = secret.hash();
    key.userId = limits.user();
    key.capabilities = limits.capabilities();
    key.scopes = limits.scopes();
    keys.persistAndFlush(key);
    return key;
  }

  /**
   * Lists all keys, oldest first.
   *
   * @return without secrets
   */
  public List<ApiKey> list() {
    return transactions.read(keys::listOldestFirst).stream().map(ApiKeyEntity::key).toList();
  }

  /**
   * Ends a key. Repeatable.
   *
   * @param id of the key
   * @param ended what goes with its end, in the same transaction
   * @return the key, empty if there is none
   * @throws ProblemException INVALID_STATE if no administrator's key would be left
   */
  public Optional<ApiKey> end(String id, Consumer<Handle> ended) {
    return transactions.inTransaction(
        open -> {
          keepAnotherAdmin(open, id);
          if (keys.end(id)) {
            ended.accept(open);
            open.afterCommit(() -> recent.ended(id));
          }
          return find(id);
        });
  }

  /** The locks make ends at the same time wait for each other. */
  private static void keepAnotherAdmin(Handle open, String id) {
    List<String> admins =
        open.createQuery(
                """
                select id from api_key where role = 'admin' and ended_at is null
                order by id for update""")
            .mapTo(String.class)
            .list();
    if (admins.equals(List.of(id))) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "'%s' is the last key with role admin; make another one first".formatted(id));
    }
  }

  /**
   * Finds a key.
   *
   * @param id of the key
   * @return without its secret; empty if there is none
   */
  public Optional<ApiKey> find(String id) {
    return transactions.read(() -> keys.findWithTenant(id)).map(ApiKeyEntity::key);
  }

  /**
   * A new key.
   *
   * @param key without its secret
   * @param text what the caller sends; shown this once
   */
  public record Made(ApiKey key, String text) {}
}
