package dev.sandboxer.platform.access;

import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/** Owners of keys, quotas and sandboxes. */
@ApplicationScoped
public class Tenants {

  private final Jdbi jdbi;
  private final Ids ids;

  Tenants(Jdbi jdbi, Ids ids) {
    this.jdbi = jdbi;
    this.ids = ids;
  }

  /**
   * Makes a tenant.
   *
   * @param transaction open
   * @param name unique
   * @return the tenant
   * @throws ProblemException INVALID_STATE if the name is taken
   */
  public Tenant make(Handle transaction, String name) {
    if (!insert(transaction, name)) {
      throw new ProblemException(ErrorCode.INVALID_STATE, "tenant '" + name + "' exists already");
    }
    return byName(transaction, name).orElseThrow();
  }

  /** The tenant of that name, made if it is not there. */
  Tenant ensure(Handle transaction, String name) {
    insert(transaction, name);
    return byName(transaction, name).orElseThrow();
  }

  /**
   * Finds a tenant by its id.
   *
   * @param handle to read with
   * @param id of the tenant
   * @return empty if there is none
   */
  public Optional<Tenant> find(Handle handle, String id) {
    return one(handle.createQuery("select * from tenant where id = :id").bind("id", id));
  }

  /**
   * Finds a tenant by its name.
   *
   * @param handle to read with
   * @param name of the tenant
   * @return empty if there is none
   */
  public Optional<Tenant> byName(Handle handle, String name) {
    return one(handle.createQuery("select * from tenant where name = :name").bind("name", name));
  }

  /**
   * Finds a tenant by its name.
   *
   * @param name of the tenant
   * @return empty if there is none
   */
  public Optional<Tenant> byName(String name) {
    return jdbi.withHandle(handle -> byName(handle, name));
  }

  /**
   * Lists all, oldest first.
   *
   * @return the tenants
   */
  public List<Tenant> list() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("select * from tenant order by created_at, id")
                .map((row, _) -> map(row))
                .list());
  }

  private boolean insert(Handle transaction, String name) {
    return transaction
            .createUpdate(
                "insert into tenant (id, name) values (:id, :name) on conflict do nothing")
            .bind("id", ids.make("ten"))
            .bind("name", name)
            .execute()
        == 1;
  }

  private static Optional<Tenant> one(Query query) {
    return query.map((row, _) -> map(row)).findOne();
  }

  private static Tenant map(ResultSet row) throws SQLException {
    return new Tenant(
        row.getString("id"),
        row.getString("name"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
