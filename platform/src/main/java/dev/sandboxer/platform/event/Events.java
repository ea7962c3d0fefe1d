package dev.sandboxer.platform.event;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/** Reads the log. */
@ApplicationScoped
public class Events {

  private final Jdbi jdbi;
  private final EventMapper mapper;

  Events(Jdbi jdbi, EventMapper mapper) {
    this.jdbi = jdbi;
    this.mapper = mapper;
  }

  /**
   * What came after a position, oldest first.
   *
   * @param filter which
   * @param after position; 0 for all that is kept
   * @param limit at most so many
   * @return events that have a position
   */
  public List<Event> after(EventFilter filter, long after, int limit) {
    StringBuilder sql =
        new StringBuilder("select * from event where tenant_id = :tenant and position > :after");
    if (filter.sandboxId() != null) {
      sql.append(" and subject = :subject");
    }
    if (!filter.types().isEmpty()) {
      sql.append(" and type like any(:types)");
    }
    sql.append(" order by position limit :limit");
    return jdbi.withHandle(
        handle -> {
          Query query =
              handle
                  .createQuery(sql)
                  .bind("tenant", filter.tenantId())
                  .bind("after", after)
                  .bind("limit", limit);
          if (filter.sandboxId() != null) {
            query.bind("subject", filter.sandboxId());
          }
          if (!filter.types().isEmpty()) {
            query.bind("types", filter.types().stream().map(Events::like).toArray(String[]::new));
          }
          return query.map(mapper).list();
        });
  }

  /** {@code sandbox.*} as a pattern of SQL; what is special there is escaped. */
  private static String like(String type) {
    String escaped = type.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_");
    return escaped.endsWith(".*") ? escaped.substring(0, escaped.length() - 1) + "%" : escaped;
  }

  /**
   * The history of one sandbox, also what has no position yet.
   *
   * @param sandboxId {@code sb_...}
   * @param after number within the sandbox; 0 for all
   * @param limit at most so many
   * @return oldest first
   */
  public List<Event> ofSandbox(String sandboxId, long after, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select * from event where subject = :subject and seq > :after order by seq"
                        + " limit :limit")
                .bind("subject", sandboxId)
                .bind("after", after)
                .bind("limit", limit)
                .map(mapper)
                .list());
  }

  /**
   * A part of one subject's history.
   *
   * @param subject a sandbox's or tenant's public id
   * @param after number within the subject
   * @param last last number that is wanted
   * @param limit at most so many
   * @return oldest first
   */
  public List<Event> ofSubject(String subject, long after, long last, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select * from event where subject = :subject and seq > :after and seq <= :last"
                        + " order by seq limit :limit")
                .bind("subject", subject)
                .bind("after", after)
                .bind("last", last)
                .bind("limit", limit)
                .map(mapper)
                .list());
  }

  /**
   * What came after a position, of all tenants.
   *
   * @param after position
   * @param limit at most so many
   * @return oldest first
   */
  List<Event> everything(long after, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select * from event where position > :after order by position limit :limit")
                .bind("after", after)
                .bind("limit", limit)
                .map(mapper)
                .list());
  }

  /**
   * The newest position.
   *
   * @return 0 before the first event
   */
  public long newest() {
    return jdbi.withHandle(
        handle -> handle.createQuery("select last from event_sequence").mapTo(Long.class).one());
  }

  /**
   * Which events after a position are no longer kept. To be asked after these were read: nothing
   * that was read is then missing without being told.
   *
   * @param after position
   * @return empty if all are kept
   */
  public Optional<Gap> gap(long after) {
    long forgotten =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("select forgotten from event_retention")
                    .mapTo(Long.class)
                    .one());
    return after < forgotten ? Optional.of(new Gap(after + 1, forgotten)) : Optional.empty();
  }

  /**
   * Which positions up to one that somebody has seen are none any more: the database is an older
   * one, brought back.
   *
   * @param after position
   * @return empty if there is such a position
   */
  public Optional<Gap> lost(long after) {
    long newest = newest();
    return after > newest ? Optional.of(new Gap(newest + 1, after)) : Optional.empty();
  }

  /**
   * Finds the position of an event.
   *
   * @param tenantId owner
   * @param id {@code evt_...}
   * @return empty if it is not kept, another tenant's or has no position yet
   */
  public Optional<Long> position(String tenantId, String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("select position from event where id = :id and tenant_id = :tenant")
                .bind("id", id)
                .bind("tenant", tenantId)
                .mapTo(Long.class)
                .findOne());
  }

  /**
   * Finds an event.
   *
   * @param tenantId owner
   * @param id {@code evt_...}
   * @return empty if it is not kept or another tenant's
   */
  public Optional<Event> find(String tenantId, String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("select * from event where id = :id and tenant_id = :tenant")
                .bind("id", id)
                .bind("tenant", tenantId)
                .map(mapper)
                .findOne());
  }
}
