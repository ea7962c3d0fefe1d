package dev.sandboxer.platform.access;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.Generated;

/** A tenant's row, without what quotas lock and events number. */
@Entity
@Table(name = "tenant")
class TenantEntity {

  @Id public String id;
  public String name;
  @Generated public Instant createdAt;

  Tenant tenant() {
    return new Tenant(id, name, createdAt);
  }
}
