package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.host.HostRows;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.volume.VolumeSweep;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Update;
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
      where h.id in (%s) and coalesce(h.extension_id, e) = e and h.removed_at is null
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
            and not exists (
              select 1 from host r where r.id = sweep.host_id and r.removed_at is not null)
            and (due_at <= clock_timestamp()
                 or due_at > clock_timestamp() + make_interval(secs => :every)
                 or exists (
                   select 1 from sweep_pass p
                   where p.extension_id = sweep.extension_id and p.host_id = sweep.host_id
                     and p.ended_at is null))
            and (claim_until is null or claim_until < clock_timestamp()
                 or claim_until > clock_timestamp() + make_interval(secs => :claimed)
                 or (claim_owner <> :owner and claim_owner like :node || '/%%'))
          order by due_at for update skip locked)
        returning *)
      select s.*, %s, clock_timestamp() as began, o.id as order_id, o.dry_run, o.confirm
      from s join host h on h.id = s.host_id
        left join lateral (
          select o.* from sweep_pass p join sweep_order o on o.id = p.order_id
          where p.extension_id = s.extension_id and p.host_id = s.host_id and p.ended_at is null
          order by o.created_at, o.id limit 1) o on true
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
          missing = :missing, unjudged = 0, reason = null, recorded = :recorded
          """);

  /** A dry run says nothing of what is done about it. */
  private static final String ACTED =
      """
      update sweep set suspects = :suspects, removed = removed + :removed, refused = :refused,
        refusals = case when cast(:refused as text) is null then 0 else refusals + 1 end
      where extension_id = :extension and host_id = :host and claim_token = :token
      """;

  private static final String UNJUDGED =
      DONE.formatted("unjudged = unjudged + 1, reason = :reason");

  /** Without places that no node lists any more. */
  private static final String STATUS =
      """
      select s.* from sweep s join host h on h.id = s.host_id
      where s.due_at > clock_timestamp() - interval '1 day' and h.removed_at is null
      order by s.extension_id, s.host_id
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final HostRows rows;
  private final SweepOrders orders;

  Places(Jdbi jdbi, Hosts hosts, HostRows rows, SweepOrders orders) {
    this.orders = orders;
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
   * @param suspects objects without a record that are still there
   * @param removed objects that were removed, ever
   * @param refusals passes in a row that were not let through
   * @param refused why the last of these was not, null without any
   */
  record Status(
      String extension,
      String host,
      @Nullable OffsetDateTime judgedAt,
      int objects,
      int unrecorded,
      int missing,
      int unjudged,
      @Nullable String reason,
      int suspects,
      long removed,
      int refusals,
      @Nullable String refused) {}

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
                          row.getTimestamp("began").toInstant(),
                          order(row)))
              .list();
        });
  }

  private void enter(Handle open, String[] extensions) {
    open.createUpdate(ENTER)
        .bind("extensions", extensions)
        .bind("node", hosts.node().id())
        .execute();
  }

  private static Place.@Nullable Order order(ResultSet row) throws SQLException {
    String id = row.getString("order_id");
    return id == null
        ? null
        : new Place.Order(id, row.getBoolean("dry_run"), row.getBoolean("confirm"));
  }

  /** Gives a place back with its result, unless the claim was lost. */
  void done(Place place, SweepResult result, Duration every) {
    jdbi.useTransaction(
        open -> {
          if (result instanceof SweepResult.Judged judged && !place.dryRun()) {
            acted(open, place, judged);
          }
          if (judged(open, place, result, every) == 1) {
            orders.ended(open, place, result);
          }
        });
  }

  private static void acted(Handle open, Place place, SweepResult.Judged judged) {
    SweepResult.Actions actions = judged.actions();
    at(open.createUpdate(ACTED), place)
        .bind("suspects", judged.found().unrecorded().size() - actions.removed().size())
        .bind("removed", actions.removed().size())
        .bind("refused", actions.refused())
        .execute();
  }

  private static int judged(Handle open, Place place, SweepResult result, Duration every) {
    Update update =
        switch (result) {
          case SweepResult.Judged(
                  SweepResult.Found found,
                  SweepResult.Actions _,
                  VolumeSweep.Result _) ->
              open.createUpdate(JUDGED)
                  .bind("objects", found.objects())
                  .bind("recorded", found.recorded())
                  .bind("unrecorded", found.unrecorded().size())
                  .bind("missing", found.missing().size());
          case SweepResult.Unjudged(String reason) ->
              open.createUpdate(UNJUDGED).bind("reason", reason);
        };
    return at(update, place).bind("every", every.toSeconds()).execute();
  }

  private static Update at(Update update, Place place) {
    return update
        .bind("extension", place.extension().text())
        .bind("host", place.host().id())
        .bind("token", place.token());
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
        row.getString("reason"),
        row.getInt("suspects"),
        row.getLong("removed"),
        row.getInt("refusals"),
        row.getString("refused"));
  }
}
