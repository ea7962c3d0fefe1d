package dev.sandboxer.platform.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.installation.InstallationStore;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sweep.SweepReport.Finding;
import dev.sandboxer.platform.sweep.SweepReport.Pass;
import dev.sandboxer.platform.sweep.SweepReport.Result;
import dev.sandboxer.platform.volume.VolumeSweep;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Sweeps that operators order, and their reports. The nodes that reach the places do the work. */
@ApplicationScoped
public class SweepOrders {

  private static final String DROP =
      "delete from sweep_order where created_at < clock_timestamp() - interval '7 days'";

  private static final String ORDER =
      """
      insert into sweep_order (id, host_id, dry_run, confirm)
      values (:id, :host, :dry_run, :confirm)
      """;

  /** Without places that no node sweeps any more. */
  private static final String PASSES =
      """
      insert into sweep_pass (order_id, extension_id, host_id)
      select :id, s.extension_id, s.host_id from sweep s join host h on h.id = s.host_id
      where h.removed_at is null and s.due_at > clock_timestamp() - interval '1 day'
        and (cast(:host as text) is null or s.host_id = :host)
      """;

  private static final String ENDED =
      """
      update sweep_pass set began_at = :began, ended_at = clock_timestamp(),
        report = cast(:report as jsonb)
      where order_id = :order and extension_id = :extension and host_id = :host
      """;

  private static final String ONE = "select * from sweep_order where id = :id";

  private static final String NEWEST =
      "select * from sweep_order order by created_at desc, id desc limit :limit";

  private static final String NEXT =
      """
      select * from sweep_order where (created_at, id) < (:after_at, :after_id)
      order by created_at desc, id desc limit :limit
      """;

  private static final String OF_ORDERS =
      "select * from sweep_pass where order_id = any(:ids) order by extension_id, host_id";

  private final Jdbi jdbi;
  private final Ids ids;
  private final ObjectMapper mapper;
  private final InstallationStore installation;
  private final Suspects suspects;
  private final VolumeSweep volumes;

  SweepOrders(
      Jdbi jdbi,
      Ids ids,
      ObjectMapper mapper,
      InstallationStore installation,
      Suspects suspects,
      VolumeSweep volumes) {
    this.jdbi = jdbi;
    this.ids = ids;
    this.mapper = mapper;
    this.installation = installation;
    this.suspects = suspects;
    this.volumes = volumes;
  }

  /**
   * Orders a sweep of a host, or of all. It begins within seconds.
   *
   * @param host the only one, null for all
   * @param dryRun whether it changes nothing
   * @param confirm whether it may remove any number
   * @return its report so far
   * @throws ProblemException NOT_FOUND if nothing is swept on that host
   */
  public SweepReport order(@Nullable String host, boolean dryRun, boolean confirm) {
    return jdbi.inTransaction(
        open -> {
          open.execute(DROP);
          String id = ids.make("swp");
          if (host != null) {
            requirePlace(open, host);
          }
          open.createUpdate(ORDER)
              .bind("id", id)
              .bind("host", host)
              .bind("dry_run", dryRun)
              .bind("confirm", confirm)
              .execute();
          open.createUpdate(PASSES).bind("id", id).bind("host", host).execute();
          return one(open, id).orElseThrow();
        });
  }

  private static void requirePlace(Handle open, String host) {
    boolean known =
        open.createQuery(
                """
                select exists (select 1 from sweep s join host h on h.id = s.host_id
                  where h.removed_at is null and s.host_id = :host)
                """)
            .bind("host", host)
            .mapTo(Boolean.class)
            .one();
    if (!known) {
      throw new ProblemException(
          ErrorCode.NOT_FOUND, "there is nothing to sweep on a host '%s'".formatted(host));
    }
  }

  /**
   * The operator's word that home and database belong together. What was noted before is forgotten,
   * so that the grace of every object begins again.
   *
   * @throws ProblemException INVALID_STATE if nobody doubts it
   */
  public void acceptRestore() {
    if (installation.doubt().isEmpty()) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "home and database of this node belong together: there is nothing to accept");
    }
    suspects.forgetAll();
    volumes.forgetAll();
    installation.accept();
  }

  /**
   * The newest orders.
   *
   * @param after the last one of the page before, null for the first page
   * @param limit at most as many
   * @return newest first
   */
  public List<SweepReport> newest(@Nullable RowPosition after, int limit) {
    return jdbi.withHandle(
        open -> {
          Query query = open.createQuery(after == null ? NEWEST : NEXT).bind("limit", limit);
          if (after != null) {
            query
                .bind("after_at", after.at().atOffset(ZoneOffset.UTC))
                .bind("after_id", after.id());
          }
          return read(open, query);
        });
  }

  /**
   * One order.
   *
   * @param id of the order
   * @return empty if there is none, or it was too long ago
   */
  public Optional<SweepReport> find(String id) {
    return jdbi.withHandle(open -> one(open, id));
  }

  private Optional<SweepReport> one(Handle open, String id) {
    return read(open, open.createQuery(ONE).bind("id", id)).stream().findFirst();
  }

  private List<SweepReport> read(Handle open, Query query) {
    List<SweepReport> orders = query.map((row, _) -> order(row)).list();
    Map<String, List<Pass>> passes = passes(open, orders);
    return orders.stream().map(one -> one.with(passes.getOrDefault(one.id(), List.of()))).toList();
  }

  private static SweepReport order(ResultSet row) throws SQLException {
    return new SweepReport(
        row.getString("id"),
        row.getString("host_id"),
        row.getBoolean("dry_run"),
        row.getBoolean("confirm"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        List.of());
  }

  private Map<String, List<Pass>> passes(Handle open, List<SweepReport> orders) {
    Map<String, List<Pass>> passes = new HashMap<>();
    open.createQuery(OF_ORDERS)
        .bind("ids", orders.stream().map(SweepReport::id).toArray(String[]::new))
        .map((row, _) -> Map.entry(row.getString("order_id"), pass(row)))
        .forEach(
            pass ->
                passes.computeIfAbsent(pass.getKey(), _ -> new ArrayList<>()).add(pass.getValue()));
    return passes;
  }

  private Pass pass(ResultSet row) throws SQLException {
    OffsetDateTime ended = row.getObject("ended_at", OffsetDateTime.class);
    String report = row.getString("report");
    return new Pass(
        row.getString("extension_id"),
        row.getString("host_id"),
        ended == null ? null : ended.toInstant(),
        report == null ? null : result(report));
  }

  private Result result(String report) {
    try {
      return mapper.readValue(report, Result.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored report of a sweep cannot be read", e);
    }
  }

  /** Notes what came of a place, if an order asked for it. */
  void ended(Handle open, Place place, SweepResult result) {
    Place.Order order = place.order();
    if (order == null) {
      return;
    }
    try {
      open.createUpdate(ENDED)
          .bind("began", place.began())
          .bind("report", mapper.writeValueAsString(result(place.began(), result)))
          .bind("order", order.id())
          .bind("extension", place.extension().text())
          .bind("host", place.host().id())
          .execute();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a report of a sweep cannot be written", e);
    }
  }

  private static Result result(Instant began, SweepResult result) {
    return switch (result) {
      case SweepResult.Unjudged(String reason) ->
          new Result(began, 0, 0, 0, 0, 0, 0, 0, 0, 0, reason, null, List.of());
      case SweepResult.Judged(
              SweepResult.Found found,
              SweepResult.Actions actions,
              VolumeSweep.Result volumes) ->
          new Result(
              began,
              found.objects(),
              found.recorded(),
              found.unrecorded().size(),
              found.wanted().size(),
              actions.removed().size(),
              found.missing().size(),
              actions.failed().size(),
              volumes.unrecorded(),
              volumes.removed(),
              null,
              actions.refused(),
              findings(found, actions));
    };
  }

  private static List<Finding> findings(SweepResult.Found found, SweepResult.Actions actions) {
    Set<InventoryObject> removed = new HashSet<>(actions.removed());
    Set<InventoryObject> wanted = new HashSet<>(found.wanted());
    Set<Records.Live> failed = new HashSet<>(actions.failed());
    return Stream.concat(
            found.missing().stream()
                .map(record -> finding(failed.contains(record) ? "failed" : "missing", record)),
            found.unrecorded().stream()
                .map(
                    object ->
                        finding(
                            removed.contains(object)
                                ? "removed"
                                : wanted.contains(object) ? "wanted" : "unrecorded",
                            object)))
        .limit(Result.MOST_FINDINGS)
        .toList();
  }

  private static Finding finding(String what, Records.Live record) {
    return new Finding(
        what,
        record.sandbox().publicId(),
        record.generation(),
        record.attempt(),
        record.providerUid());
  }

  private static Finding finding(String what, InventoryObject object) {
    return new Finding(
        what,
        object.identity().publicId(),
        object.identity().generation(),
        object.identity().attempt(),
        object.providerUid());
  }
}
