package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.host.HostRows;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.ExtensionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The rows of table {@code sweep}: each place is claimed, listed by one node, and given back. */
@ApplicationScoped
class Places {

  private static final String REACHABLE =
      "select id from host where node_id = :node or node_id is null";

  private static final String ENTER =
      """
      insert into sweep (extension_id, host_id)
      select e, h.id from unnest(cast(:extensions as text[])) e, host h
      where h.id in (%s) and coalesce(h.extension_id, e) = e
      on conflict do nothing
      """
          .formatted(REACHABLE);

  /** A time that lies further ahead than it was set was set before the clock went back. */
  private static final String CLAIM =
      """
      with s as (
        update sweep set claim_owner = :owner, claim_token = claim_token + 1,
          claim_until = clock_timestamp() + make_interval(secs => :claimed)
        where (extension_id, host_id) in (
          select extension_id, host_id from sweep
          where extension_id = any(:extensions) and host_id in (%s)
            and (due_at <= clock_timestamp()
                 or due_at > clock_timestamp() + make_interval(secs => :every))
            and (claim_until is null or claim_until < clock_timestamp()
                 or claim_until > clock_timestamp() + make_interval(secs => :claimed)
                 or (claim_owner <> :owner and claim_owner like :node || '/%%'))
          order by due_at for update skip locked)
        returning *)
      select s.*, %s, clock_timestamp() as began from s join host h on h.id = s.host_id
      """
          .formatted(REACHABLE, HostRows.REF);

  private static final String DONE =
      """
      update sweep set claim_owner = null, claim_until = null,
        due_at = clock_timestamp() + make_interval(secs => :every), %s
      where extension_id = :extension and host_id = :host and claim_token = :token
      """;

  private static final String JUDGED =
      DONE.formatted(
          """
          judged_at = clock_timestamp(), objects = :objects, unrecorded = :unrecorded,
          missing = :missing, unjudged = 0, reason = null
          """);

  private static final String UNJUDGED =
      DONE.formatted("unjudged = unjudged + 1, reason = :reason");

  /** Without places that no node lists any more. */
  private static final String STATUS =
      """
      select * from sweep
      where due_at > clock_timestamp() - interval '1 day' order by extension_id, host_id
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final HostRows rows;

  Places(Jdbi jdbi, Hosts hosts, HostRows rows) {
    this.rows = rows;
    this.jdbi = jdbi;
    this.hosts = hosts;
  }

  /**
   * The last result of a place.
   *
   * @param extension which backend
   * @param host where
   * @param judgedAt when it was judged last, null if never
   * @param objects that were listed then
   * @param unrecorded those of them without a record
   * @param missing live records without an object
   * @param unjudged listings since then
   * @param reason why the last of these was not judged, null without any
   */
  record Status(
      String extension,
      String host,
      @Nullable OffsetDateTime judgedAt,
      int objects,
      int unrecorded,
      int missing,
      int unjudged,
      @Nullable String reason) {}

  /**
   * Claims the places that are due.
   *
   * @param extensions that this node has
   * @param every how long after a listing the next one is due
   * @param claimed how long the claim holds
   */
  List<Place> claim(Collection<String> extensions, Duration every, Duration claimed) {
    String[] loaded = extensions.toArray(String[]::new);
    return jdbi.inTransaction(
        open -> {
          enter(open, loaded);
          return open.createQuery(CLAIM)
              .bind("extensions", loaded)
              .bind("node", hosts.node().id())
              .bind("owner", hosts.node().claimOwner())
              .bind("claimed", claimed.toSeconds())
              .bind("every", every.toSeconds())
              .map(
                  (row, _) ->
                      new Place(
                          new ExtensionId(row.getString("extension_id")),
                          rows.ref(row),
                          row.getLong("claim_token"),
                          row.getTimestamp("began").toInstant()))
              .list();
        });
  }

  private void enter(Handle open, String[] extensions) {
    open.createUpdate(ENTER)
        .bind("extensions", extensions)
        .bind("node", hosts.node().id())
        .execute();
  }

  /** Gives a place back with its result, unless the claim was lost. */
  void done(Place place, SweepResult result, Duration every) {
    jdbi.useHandle(
        open -> {
          var update =
              switch (result) {
                case SweepResult.Judged judged ->
                    open.createUpdate(JUDGED)
                        .bind("objects", judged.objects())
                        .bind("unrecorded", judged.unrecorded().size())
                        .bind("missing", judged.missing().size());
                case SweepResult.Unjudged unjudged ->
                    open.createUpdate(UNJUDGED).bind("reason", unjudged.reason());
              };
          update
              .bind("every", every.toSeconds())
              .bind("extension", place.extension().text())
              .bind("host", place.host().id())
              .bind("token", place.token())
              .execute();
        });
  }

  List<Status> status() {
    return jdbi.withHandle(open -> open.createQuery(STATUS).map((row, _) -> status(row)).list());
  }

  private static Status status(ResultSet row) throws SQLException {
    return new Status(
        row.getString("extension_id"),
        row.getString("host_id"),
        row.getObject("judged_at", OffsetDateTime.class),
        row.getInt("objects"),
        row.getInt("unrecorded"),
        row.getInt("missing"),
        row.getInt("unjudged"),
        row.getString("reason"));
  }
}
