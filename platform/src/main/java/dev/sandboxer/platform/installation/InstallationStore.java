package dev.sandboxer.platform.installation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The installation's id and restore epoch, in the database and in the home. */
public final class InstallationStore {

  private final Home home;
  private final Jdbi jdbi;

  /**
   * Makes the store.
   *
   * @param home holds the file {@code installation}
   * @param jdbi on a migrated database
   */
  public InstallationStore(Home home, Jdbi jdbi) {
    this.home = home;
    this.jdbi = jdbi;
  }

  /**
   * Reads both sides, and writes the one that is empty.
   *
   * @return the database's id and epoch, with a doubt if the home says otherwise
   * @throws StartupException if the home's file cannot be read
   */
  public Installation open() {
    Optional<Mark> kept = readHome();
    Mark stored = jdbi.inTransaction(handle -> storedOrNew(handle, kept));
    if (kept.isEmpty()) {
      writeHome(stored);
    }
    Optional<String> doubt =
        kept.filter(mark -> !mark.equals(stored)).map(mark -> doubt(mark, stored));
    return new Installation(stored.id().toString(), stored.restoreEpoch(), doubt);
  }

  /**
   * The operator's decision that database and home belong together: the home takes the database's
   * id and epoch. Sweeps act again from the next start on.
   */
  public void accept() {
    writeHome(jdbi.withHandle(handle -> read(handle).orElseThrow()));
  }

  private static Mark storedOrNew(Handle handle, Optional<Mark> kept) {
    // A home that is older than its database means a lost database: keep the id, raise the epoch.
    Mark fresh =
        kept.map(mark -> new Mark(mark.id(), mark.restoreEpoch() + 1))
            .orElseGet(() -> new Mark(UUID.randomUUID(), 1));
    handle.execute(
        "insert into installation (id, restore_epoch) values (?, ?) on conflict do nothing",
        fresh.id(),
        fresh.restoreEpoch());
    return read(handle).orElseThrow();
  }

  private static Optional<Mark> read(Handle handle) {
    return handle
        .createQuery("select id, restore_epoch from installation")
        .map((row, _) -> new Mark(row.getObject(1, UUID.class), row.getLong(2)))
        .findOne();
  }

  private Optional<Mark> readHome() {
    Path file = home.resolve("installation");
    try {
      return Files.exists(file)
          ? Optional.of(Mark.parse(Files.readString(file)))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw new StartupException(
          "%s must hold the installation's id and restore epoch: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private void writeHome(Mark mark) {
    home.writePrivate("installation", (mark + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static String doubt(Mark kept, Mark stored) {
    return "the home belongs to installation %s (restore epoch %d), the database says %s (%d)"
        .formatted(kept.id(), kept.restoreEpoch(), stored.id(), stored.restoreEpoch());
  }

  private record Mark(UUID id, long restoreEpoch) {

    static Mark parse(String text) {
      String[] parts = text.strip().split(" ", -1);
      if (parts.length != 2) {
        throw new IllegalArgumentException("'" + text.strip() + "' is not '<id> <epoch>'");
      }
      return new Mark(UUID.fromString(parts[0]), Long.parseLong(parts[1]));
    }

    @Override
    public String toString() {
      return id + " " + restoreEpoch;
    }
  }
}
