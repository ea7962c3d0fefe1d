package dev.sandboxer.platform.access;

import io.quarkus.hibernate.orm.panache.PanacheRepositoryBase;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** The table {@code tenant}. */
@ApplicationScoped
class TenantRepository implements PanacheRepositoryBase<TenantEntity, String> {

  Optional<TenantEntity> findByName(String name) {
    return find("name", name).singleResultOptional();
  }
}
