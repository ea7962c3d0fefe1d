package dev.sandboxer.platform.audit;

import io.quarkus.hibernate.orm.panache.PanacheRepositoryBase;
import jakarta.enterprise.context.ApplicationScoped;

/** The table {@code audit}. */
@ApplicationScoped
class AuditRepository implements PanacheRepositoryBase<AuditEntity, Long> {}
