package dev.sandboxer.platform.access;

import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.exception.ConstraintViolationException;

/** Owners of keys, quotas and sandboxes. */
@ApplicationScoped
public class Tenants {

  private final Transactions transactions;
  private final TenantRepository tenants;
  private final Ids ids;

  Tenants(Transactions transactions, TenantRepository tenants, Ids ids) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.ids = ids;
  }

  /**
   * Makes a tenant, in the open transaction.
   *
   * @param name unique
   * @return the tenant
   * @throws ProblemException INVALID_STATE if the name is taken
   */
  public Tenant make(String name) {
    try {
      return insert(name).tenant();
    } catch (ConstraintViolationException e) {
      throw new ProblemException(ErrorCode.INVALID_STATE, "tenant '" + name + "' exists already");
    }
  }

  /** The tenant of that name, made in the open transaction if it is not there. */
  TenantEntity ensure(String name) {
    return tenants.findByName(name).orElseGet(() -> insert(name));
  }

  private TenantEntity insert(String name) {
    TenantEntity tenant = new TenantEntity();
    tenant.id = ids.make("ten");
    tenant.name = name;
    tenants.persistAndFlush(tenant);
    return tenant;
  }

  /**
   * Finds a tenant by its id.
   *
   * @param id of the tenant
   * @return empty if there is none
   */
  public Optional<Tenant> find(String id) {
    return transactions.read(() -> tenants.findByIdOptional(id)).map(TenantEntity::tenant);
  }

  /**
   * Finds a tenant by its name.
   *
   * @param name of the tenant
   * @return empty if there is none
   */
  public Optional<Tenant> byName(String name) {
    return transactions.read(() -> tenants.findByName(name)).map(TenantEntity::tenant);
  }

  /**
   * Lists all, oldest first.
   *
   * @return the tenants
   */
  public List<Tenant> list() {
    return transactions.read(() -> tenants.listAll(Sort.by("createdAt", "id"))).stream()
        .map(TenantEntity::tenant)
        .toList();
  }
}
