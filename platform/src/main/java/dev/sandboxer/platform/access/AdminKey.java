package dev.sandboxer.platform.access;

import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.StartupException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;

/** The first key of an installation, in the home's file {@code admin.key}. */
@ApplicationScoped
public class AdminKey {

  private static final String FILE = "admin.key";
  private static final String TENANT = "default";
  private static final String COUNTING = "role = 'admin' and endedAt is null";

  private final Transactions transactions;
  private final Home home;
  private final Tenants tenants;
  private final ApiKeys keys;
  private final ApiKeyRepository stored;

  AdminKey(
      Transactions transactions,
      Home home,
      Tenants tenants,
      ApiKeys keys,
      ApiKeyRepository stored) {
    this.transactions = transactions;
    this.home = home;
    this.tenants = tenants;
    this.keys = keys;
    this.stored = stored;
  }

  /**
   * Makes it at the installation's first start, or takes the one that its operator has put there
   * before; does nothing once there is one.
   *
   * @throws StartupException if the file has something that is no key
   */
  public void ensure() {
    transactions.useTransaction(
        open -> {
          open.execute("lock table api_key in share row exclusive mode");
          if (stored.count(COUNTING) == 0) {
            store(given().orElseGet(this::made));
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
    transactions.useTransaction(
        open -> {
          stored.list(COUNTING + " and name = 'admin'").stream()
              .map(key -> key.id)
              .filter(stored::end)
              .forEach(id -> ended.accept(open, id));
          store(made());
        });
    return home.resolve(FILE);
  }

  private Optional<KeySecret> given() {
    Path file = home.resolve(FILE);
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    try {
      Optional<KeySecret> key = KeySecret.parse(Files.readString(file).strip());
      if (key.isEmpty()) {
        throw new StartupException(
            "%s has no key: it must be sbxk_ and 83 hexadecimal digits; without the file one is made"
                .formatted(file));
      }
      return key;
    } catch (IOException e) {
      throw new StartupException("the key in %s cannot be read: %s".formatted(file, e), e);
    }
  }

  /** The file comes first: after a crash in between, the next start takes it. */
  private KeySecret made() {
    KeySecret secret = KeySecret.make(new SecureRandom());
    home.writePrivate(FILE, secret.text().getBytes(StandardCharsets.US_ASCII));
    return secret;
  }

  private void store(KeySecret secret) {
    var _ = keys.insert(tenants.ensure(TENANT), "admin", Role.ADMIN, Limits.NONE, secret);
  }
}
