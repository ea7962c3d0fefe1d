package dev.sandboxer.platform.access;

import dev.sandboxer.platform.installation.Home;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The first key of an installation, in the home's file {@code admin.key}. */
@ApplicationScoped
public class AdminKey {

  private static final String FILE = "admin.key";
  private static final String TENANT = "default";

  private final Jdbi jdbi;
  private final Home home;
  private final Tenants tenants;
  private final ApiKeys keys;

  AdminKey(Jdbi jdbi, Home home, Tenants tenants, ApiKeys keys) {
    this.jdbi = jdbi;
    this.home = home;
    this.tenants = tenants;
    this.keys = keys;
  }

  /** Makes it at the installation's first start; does nothing once there is one. */
  public void ensure() {
    jdbi.useTransaction(
        transaction -> {
          transaction.execute("lock table api_key in share row exclusive mode");
          boolean known =
              transaction
                  .createQuery(
                      """
                      select exists (select 1 from api_key
                        where role = 'admin' and ended_at is null)
                      """)
                  .mapTo(Boolean.class)
                  .one();
          if (!known) {
            make(transaction);
          }
        });
  }

  /**
   * Makes a new one and ends those that were made this way before.
   *
   * @param ended what goes with the end of a key, by its id, in the same transaction
   * @return the file that has it
   */
  public Path reset(BiConsumer<Handle, String> ended) {
    jdbi.useTransaction(
        transaction -> {
          endAll(transaction).forEach(id -> ended.accept(transaction, id));
          make(transaction);
        });
    return home.resolve(FILE);
  }

  private static List<String> endAll(Handle transaction) {
    return transaction
        .createQuery(
            """
            update api_key set ended_at = clock_timestamp()
            where name = 'admin' and role = 'admin' and ended_at is null
            returning id
            """)
        .mapTo(String.class)
        .list();
  }

  /** The file comes first: a crash in between leaves a key that does not count, and a new try. */
  private void make(Handle transaction) {
    KeySecret secret = KeySecret.make(new SecureRandom());
    home.writePrivate(FILE, secret.text().getBytes(StandardCharsets.US_ASCII));
    Tenant tenant = tenants.ensure(transaction, TENANT);
    var _ = keys.insert(transaction, tenant.id(), "admin", Role.ADMIN, secret);
  }
}
