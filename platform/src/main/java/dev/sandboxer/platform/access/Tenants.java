package dev.sandboxer.platform.access;

import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

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
   * @param name unique
   * @return the tenant
   * @throws ProblemException INVALID_STATE if the name is taken
   */
  public Tenant make(String name) {
    return jdbi.inTransaction(
        transaction -> {
          if (!insert(transaction, name)) {
            throw new ProblemException(
                ErrorCode.INVALID_STATE, "tenant '" + name + "' exists already");
          }
          return find(transaction, name);
        });
  }

  /** The tenant of that name, made if it is not there. */
  Tenant ensure(Handle transaction, String name) {
    insert(transaction, name);
    return find(transaction, name);
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

  private static Tenant find(Handle handle, String name) {
    return handle
        .createQuery("select * from tenant where name = :name")
        .bind("name", name)
        .map((row, _) -> map(row))
        .one();
  }

  private static Tenant map(ResultSet row) throws SQLException {
    return new Tenant(
        row.getString("id"),
        row.getString("name"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
