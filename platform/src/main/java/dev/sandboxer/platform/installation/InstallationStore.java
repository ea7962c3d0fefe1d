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

  private static final String SWEEPS = "sweeps";

  private static final String COUNT =
      "update installation set sweeps = sweeps + 1 returning sweeps";

  private static final String RAISE = "update installation set restore_epoch = restore_epoch + 1";

  private static final String ACCEPT =
      """
      update installation set restore_epoch = greatest(restore_epoch, :least) + 1,
        accepted_epoch = greatest(restore_epoch, :least) + 1
      """;

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
  public synchronized Installation open() {
    Optional<Mark> kept = readHome();
    Mark stored = jdbi.inTransaction(handle -> storedOrNew(handle, kept));
    if (kept.isEmpty()) {
      writeHome(stored);
      if (jdbi.withHandle(InstallationStore::nobodyRuns)) {
        jdbi.useHandle(handle -> handle.execute(RAISE));
        return open();
      }
    }
    Optional<String> doubt = jdbi.withHandle(handle -> doubt(handle, kept, stored));
    return new Installation(stored.id().toString(), stored.restoreEpoch(), doubt);
  }

  /**
   * Compares both sides again: a database may be restored beneath a node that runs.
   *
   * @return why they do not belong together, empty if they do
   */
  public synchronized Optional<String> doubt() {
    Optional<Mark> kept = readHome();
    return jdbi.withHandle(handle -> doubt(handle, kept, read(handle).orElseThrow()));
  }

  /**
   * The same before a sweep, which is counted on both sides. A database that has counted fewer
   * sweeps than the home has seen was set back to a backup; its epoch is raised, so that every home
   * differs from it until the operator accepts.
   *
   * @return why the sweep may only report, empty if it may act
   */
  public synchronized Optional<String> countSweep() {
    Optional<String> known = doubt();
    if (known.isPresent()) {
      return known;
    }
    long counted = jdbi.withHandle(handle -> handle.createQuery(COUNT).mapTo(Long.class).one());
    long seen = sweepsSeen();
    if (counted > seen) {
      writeSweepsSeen(counted);
      return Optional.empty();
    }
    jdbi.useHandle(handle -> handle.execute(RAISE));
    return Optional.of(
        "the database was set back: it has counted %d sweeps, this home has seen %d"
            .formatted(counted, seen));
  }

  /**
   * The operator's decision that database and home belong together: both take an epoch that neither
   * had, so that another copy of either is noticed.
   */
  public synchronized void accept() {
    long least = readHome().map(Mark::restoreEpoch).orElse(0L);
    jdbi.useTransaction(
        handle -> {
          handle.createUpdate(ACCEPT).bind("least", least).execute();
          adopt(handle, read(handle).orElseThrow());
        });
  }

  /**
   * Whether the database has had nodes and none of them runs. A new home beside it may be another
   * node, or that of a copy, beside which the original still makes sandboxes: the epoch is raised,
   * so that sweeps remove nothing until the operator says which it is.
   */
  private static boolean nobodyRuns(Handle handle) {
    return handle
        .createQuery(
            """
            select count(*) > 0 and bool_and(lease_until < clock_timestamp()) from node
            """)
        .mapTo(Boolean.class)
        .findOne()
        .orElse(false);
  }

  private Optional<String> doubt(Handle handle, Optional<Mark> kept, Mark stored) {
    if (kept.isEmpty() || kept.get().equals(stored)) {
      return Optional.empty();
    }
    if (kept.get().olderThan(stored) && accepted(handle)) {
      adopt(handle, stored); // on another node
      return Optional.empty();
    }
    return Optional.of(doubt(kept.get(), stored));
  }

  private static boolean accepted(Handle handle) {
    return handle
        .createQuery("select accepted_epoch = restore_epoch from installation")
        .mapTo(Boolean.class)
        .one();
  }

  private void adopt(Handle handle, Mark stored) {
    writeSweepsSeen(handle.createQuery("select sweeps from installation").mapTo(Long.class).one());
    writeHome(stored);
  }

  private long sweepsSeen() {
    Path file = home.resolve(SWEEPS);
    try {
      return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    } catch (IOException | NumberFormatException e) {
      throw new IllegalStateException(
          "%s must hold a number; remove the file: %s".formatted(file, e.getMessage()), e);
    }
  }

  private void writeSweepsSeen(long count) {
    home.writePrivate(SWEEPS, (count + "\n").getBytes(StandardCharsets.UTF_8));
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

    boolean olderThan(Mark other) {
      return id.equals(other.id) && restoreEpoch < other.restoreEpoch;
    }

    @Override
    public String toString() {
      return id + " " + restoreEpoch;
    }
  }
}
