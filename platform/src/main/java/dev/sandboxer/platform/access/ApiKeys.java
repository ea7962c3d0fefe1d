package dev.sandboxer.platform.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Keys: made, shown once, looked up by id, compared by hash in constant time. */
@ApplicationScoped
public class ApiKeys {

  private static final String SELECT =
      """
      select k.*, t.name as tenant from api_key k join tenant t on t.id = k.tenant_id
      """;

  private final Jdbi jdbi;
  private final RecentKeys recent;
  private final SecureRandom random = new SecureRandom();

  ApiKeys(Jdbi jdbi, RecentKeys recent) {
    this.jdbi = jdbi;
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

  private Optional<RecentKeys.Found> lookUp(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    select tenant_id, role, secret_hash, user_id, capabilities, scopes from api_key
                    where id = :id and ended_at is null
                    """)
                .bind("id", id)
                .map((row, _) -> found(id, row))
                .findOne());
  }

  /**
   * Whether a key that was shown before still counts.
   *
   * @param id of the key
   * @return false once it was ended, here or on another node
   */
  public boolean counts(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select exists (select 1 from api_key where id = :id and ended_at is null)")
                .bind("id", id)
                .mapTo(Boolean.class)
                .one());
  }

  private static RecentKeys.Found found(String id, ResultSet row) throws SQLException {
    Principal whose = new Principal(id, row.getString("tenant_id"), role(row), limits(row));
    return new RecentKeys.Found(row.getBytes("secret_hash"), whose);
  }

  private static Limits limits(ResultSet row) throws SQLException {
    return new Limits(row.getString("user_id"), texts(row, "capabilities"), texts(row, "scopes"));
  }

  private static @Nullable List<String> texts(ResultSet row, String column) throws SQLException {
    Array array = row.getArray(column);
    return array == null ? null : List.of((String[]) array.getArray());
  }

  /**
   * Makes a key.
   *
   * @param transaction open
   * @param tenant owner
   * @param name for people
   * @param role what it may do
   * @return the key and its text, which is shown this once
   */
  public Made make(Handle transaction, Tenant tenant, String name, Role role) {
    return make(transaction, tenant, name, role, Limits.NONE);
  }

  /**
   * Makes a key that may do less.
   *
   * @param transaction open
   * @param tenant owner
   * @param name for people
   * @param role what it may do
   * @param limits what it is narrowed to
   * @return the key and its text, which is shown this once
   */
  public Made make(Handle transaction, Tenant tenant, String name, Role role, Limits limits) {
    KeySecret secret = KeySecret.make(random);
    var _ = insert(transaction, tenant.id(), name, role, secret);
    transaction
        .createUpdate(
            """
            update api_key set user_id = :user, capabilities = :capabilities, scopes = :scopes
            where id = :id
            """)
        .bind("user", limits.user())
        .bind("capabilities", array(limits.capabilities()))
        .bind("scopes", array(limits.scopes()))
        .bind("id", secret.id())
        .execute();
    return new Made(find(transaction, secret.id()).orElseThrow(), secret.text());
  }

  private static String @Nullable [] array(@Nullable List<String> texts) {
    return texts == null ? null : texts.toArray(String[]::new);
  }

  Made insert(Handle transaction, String tenantId, String name, Role role, KeySecret secret) {
    transaction
        .createUpdate(
            """
            insert into api_key (id, tenant_id, name, role, secret_hash)
            values (:id, :tenant, :name, :role, :hash)
            """)
        .bind("id", secret.id())
        .bind("tenant", tenantId)
        .bind("name", name)
        .bind("role", role.text())
        .bind("hash", secret.hash())
        .execute();
    return new Made(find(transaction, secret.id()).orElseThrow(), secret.text());
  }

  /**
   * Lists all keys, oldest first.
   *
   * @return without secrets
   */
  public List<ApiKey> list() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(SELECT + " order by k.created_at, k.id")
                .map((row, _) -> map(row))
                .list());
  }

  /**
   * Ends a key. Repeatable.
   *
   * @param id of the key
   * @param ended what goes with its end, in the same transaction
   * @return the key, empty if there is none
   */
  public Optional<ApiKey> end(String id, Consumer<Handle> ended) {
    return jdbi.inTransaction(
        transaction -> {
          int now =
              transaction
                  .createUpdate(
                      """
                  update api_key set ended_at = clock_timestamp()
                  where id = :id and ended_at is null
                  """)
                  .bind("id", id)
                  .execute();
          if (now == 1) {
            ended.accept(transaction);
            transaction.afterCommit(() -> recent.ended(id));
          }
          return find(transaction, id);
        });
  }

  /**
   * Finds a key.
   *
   * @param handle to read with
   * @param id of the key
   * @return without its secret; empty if there is none
   */
  public Optional<ApiKey> find(Handle handle, String id) {
    return handle
        .createQuery(SELECT + " where k.id = :id")
        .bind("id", id)
        .map((row, _) -> map(row))
        .findOne();
  }

  private static ApiKey map(ResultSet row) throws SQLException {
    return new ApiKey(
        row.getString("id"),
        row.getString("tenant_id"),
        row.getString("tenant"),
        row.getString("name"),
        role(row),
        limits(row),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row, "ended_at"));
  }

  private static Role role(ResultSet row) throws SQLException {
    return Role.valueOf(row.getString("role").toUpperCase(Locale.ROOT));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  /**
   * A new key.
   *
   * @param key without its secret
   * @param text what the caller sends; shown this once
   */
  public record Made(ApiKey key, String text) {}
}
