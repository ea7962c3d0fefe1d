package dev.sandboxer.platform.archive;

import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.quota.Reached;
import dev.sandboxer.platform.quota.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The archives of tenants. Their bytes are in the database, so that each node has them. */
@ApplicationScoped
public class Archives {

  /** How large one may be, in bytes. */
  public static final long MOST_BYTES = 64L << 20;

  /** How long an upload is kept without a sandbox that has it. */
  public static final Duration KEPT_UPLOAD = Duration.ofDays(1);

  /** From when a folder is packed until the sandbox that needs it is recorded. */
  public static final Duration KEPT_FOLDER = Duration.ofMinutes(10);

  /** After its last bytes, one that is not complete. */
  private static final Duration KEPT_PART = Duration.ofMinutes(10);

  /** So many small ones that their number matters are counted as larger. */
  private static final int LEAST_COUNTED = 64 << 10;

  private static final int DEFAULT_MIB = 1024;
  private static final int MOST_MIB = 10_000_000;

  private static final String IN_USE =
      """
      exists (select 1 from archive_hold h join sandbox s on s.id = h.sandbox_id
        where h.archive_id = a.id and s.destroyed_at is null)
      """;

  private static final String COLUMNS =
      "a.id, a.sha256, a.size_bytes, a.created_at, a.keep_until, " + IN_USE + " as in_use";

  private static final String HELD =
      "select coalesce(sum(greatest(size_bytes, :least)), 0) from archive where tenant_id = :tenant";

  private static final String PART =
      """
      update archive set size_bytes = size_bytes + :size,
        keep_until = clock_timestamp() + make_interval(secs => :kept)
      where id = :id and sha256 is null
      """;

  private static final String COMPLETE =
      """
      update archive set sha256 = :sha256, keep_until = clock_timestamp() + make_interval(secs => :kept)
      where id = :id and sha256 is null
      """;

  private static final String KEEP =
      """
      update archive set keep_until = greatest(keep_until, clock_timestamp() + make_interval(secs => :kept))
      where tenant_id = :tenant and sha256 = :sha256 returning id
      """;

  private final Jdbi jdbi;
  private final Ids ids;
  private final Refusals refusals;
  private final long most;

  Archives(Jdbi jdbi, Ids ids, Refusals refusals, Settings settings) {
    this.jdbi = jdbi;
    this.ids = ids;
    this.refusals = refusals;
    this.most =
        (long) settings.number(Setting.SANDBOXER_MAX_ARCHIVE_MIB, DEFAULT_MIB, MOST_MIB) << 20;
  }

  /**
   * Starts to store one. What is not completed is forgotten, also when this process is killed.
   *
   * @param asked owner, and who asks
   * @return takes the bytes
   * @throws ProblemException QUOTA_EXCEEDED if the tenant has as much as it may
   */
  public ArchiveUpload begin(Asked asked) {
    String id = ids.make("arc");
    jdbi.useTransaction(
        open -> {
          open.createUpdate(
                  """
                  insert into archive (id, tenant_id, keep_until)
                  values (:id, :tenant, clock_timestamp() + make_interval(secs => :kept))
                  """)
              .bind("id", id)
              .bind("tenant", asked.tenantId())
              .bind("kept", KEPT_PART.toSeconds())
              .execute();
          checkRoom(open, asked);
        });
    return new ArchiveUpload(this, asked, id);
  }

  /** One part of an upload. */
  void add(Asked asked, String id, int number, byte[] bytes) {
    jdbi.useTransaction(
        open -> {
          int known =
              open.createUpdate(PART)
                  .bind("id", id)
                  .bind("size", bytes.length)
                  .bind("kept", KEPT_PART.toSeconds())
                  .execute();
          checkThere(known);
          open.createUpdate(
                  "insert into archive_chunk (archive_id, number, bytes) values (:id, :number, :bytes)")
              .bind("id", id)
              .bind("number", number)
              .bind("bytes", bytes)
              .execute();
          checkRoom(open, asked);
        });
  }

  /** What comes at once is not seen here: it exceeds the limit by a part each. */
  private void checkRoom(Handle open, Asked asked) {
    long held =
        open.createQuery(HELD)
            .bind("tenant", asked.tenantId())
            .bind("least", LEAST_COUNTED)
            .mapTo(Long.class)
            .one();
    if (held > most) {
      throw refusals.refuse(
          open,
          asked,
          new Reached(
              "archive_bytes",
              Setting.SANDBOXER_MAX_ARCHIVE_MIB.name(),
              null,
              most,
              held,
              "the tenant's archives would have %d bytes and may have %d; delete one that no sandbox has, or ask the operator for a higher limit"
                  .formatted(held, most)));
    }
  }

  private static void checkThere(int rows) {
    if (rows == 0) {
      throw new ProblemException(
          ErrorCode.REQUEST_TIMEOUT, "the archive came too slowly, and was removed; send it again");
    }
  }

  /** Makes an upload an archive; the same bytes that the tenant has already are kept once. */
  StoredArchive complete(Asked asked, String id, byte[] sha256, Duration kept) {
    return jdbi.inTransaction(
        open -> {
          lock(open, asked.tenantId(), sha256);
          Optional<String> same =
              open.createQuery(KEEP)
                  .bind("tenant", asked.tenantId())
                  .bind("sha256", sha256)
                  .bind("kept", kept.toSeconds())
                  .mapTo(String.class)
                  .findOne();
          if (same.isPresent()) {
            forget(open, id);
          } else {
            checkThere(
                open.createUpdate(COMPLETE)
                    .bind("id", id)
                    .bind("sha256", sha256)
                    .bind("kept", kept.toSeconds())
                    .execute());
          }
          return find(open, asked.tenantId(), sha256).orElseThrow();
        });
  }

  /** The same content is completed by one at a time. */
  private static void lock(Handle open, String tenantId, byte[] sha256) {
    var _ =
        open.createQuery("select true from pg_advisory_xact_lock(hashtextextended(:name, 0))")
            .bind("name", "archive/" + tenantId + "/" + HexFormat.of().formatHex(sha256))
            .mapTo(Boolean.class)
            .one();
  }

  /** An upload that was given up. */
  void forget(String id) {
    jdbi.useHandle(open -> forget(open, id));
  }

  private static void forget(Handle open, String id) {
    open.createUpdate("delete from archive where id = :id and sha256 is null")
        .bind("id", id)
        .execute();
  }

  /**
   * Finds an archive.
   *
   * @param tenantId owner
   * @param digest of a caller
   * @return empty if the tenant has none of it
   */
  public Optional<StoredArchive> find(String tenantId, String digest) {
    return StoredArchive.isDigest(digest)
        ? jdbi.withHandle(open -> find(open, tenantId, StoredArchive.sha256(digest)))
        : Optional.empty();
  }

  private static Optional<StoredArchive> find(Handle open, String tenantId, byte[] sha256) {
    return open.createQuery(
            "select "
                + COLUMNS
                + " from archive a where a.tenant_id = :tenant and a.sha256 = :sha256")
        .bind("tenant", tenantId)
        .bind("sha256", sha256)
        .map((row, _) -> archive(row))
        .findOne();
  }

  /**
   * Lists complete ones.
   *
   * @param tenantId owner
   * @param after digest of the last one before, empty for the first
   * @param most how many
   * @return by their digests
   */
  public List<StoredArchive> list(String tenantId, String after, int most) {
    if (!after.isEmpty() && !StoredArchive.isDigest(after)) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "cursor '%s' was not issued by this list".formatted(after));
    }
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    "select "
                        + COLUMNS
                        + " from archive a where a.tenant_id = :tenant and a.sha256 > :after order by a.sha256 limit :most")
                .bind("tenant", tenantId)
                .bind("after", after.isEmpty() ? new byte[0] : StoredArchive.sha256(after))
                .bind("most", most)
                .map((row, _) -> archive(row))
                .list());
  }

  /**
   * Removes an archive.
   *
   * @param tenantId owner
   * @param digest of a caller
   * @throws ProblemException NOT_FOUND, or INVALID_STATE with the {@code sandbox_id} that has it
   */
  public void delete(String tenantId, String digest) {
    jdbi.useTransaction(
        open -> {
          String id = locked(open, tenantId, digest);
          open.createQuery(
                  """
                  select 'sb_' || s.id from archive_hold h join sandbox s on s.id = h.sandbox_id
                  where h.archive_id = :id and s.destroyed_at is null limit 1
                  """)
              .bind("id", id)
              .mapTo(String.class)
              .findFirst()
              .ifPresent(
                  sandbox -> {
                    throw inUse(sandbox);
                  });
          open.createUpdate("delete from archive_hold where archive_id = :id")
              .bind("id", id)
              .execute();
          open.createUpdate("delete from archive where id = :id").bind("id", id).execute();
        });
  }

  private static String locked(Handle open, String tenantId, String digest) {
    Optional<String> id =
        StoredArchive.isDigest(digest)
            ? open.createQuery(
                    "select id from archive where tenant_id = :tenant and sha256 = :sha256 for update")
                .bind("tenant", tenantId)
                .bind("sha256", StoredArchive.sha256(digest))
                .mapTo(String.class)
                .findOne()
            : Optional.empty();
    return id.orElseThrow(
        () ->
            new ProblemException(
                ErrorCode.NOT_FOUND, "there is no archive '%s'".formatted(digest)));
  }

  private static ProblemException inUse(String sandbox) {
    return new ProblemException(
        Problem.of(
                ErrorCode.INVALID_STATE,
                "sandbox %s has the archive until it is destroyed".formatted(sandbox))
            .with("sandbox_id", sandbox));
  }

  private static StoredArchive archive(ResultSet row) throws SQLException {
    return new StoredArchive(
        row.getString("id"),
        StoredArchive.digest(row.getBytes("sha256")),
        row.getLong("size_bytes"),
        row.getTimestamp("created_at").toInstant(),
        row.getTimestamp("keep_until").toInstant(),
        row.getBoolean("in_use"));
  }
}
