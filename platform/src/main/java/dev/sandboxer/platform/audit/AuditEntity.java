package dev.sandboxer.platform.audit;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** A row of the audit, to be read; {@link AuditLog} writes them in batches. */
@Entity
@Immutable
@Table(name = "audit")
class AuditEntity {

  @Id public long id;
  public Instant at;
  public String requestId;
  public @Nullable String caller;
  public @Nullable String userId;
  public @Nullable String tenantId;
  public @Nullable String scopeType;
  public @Nullable String scopeId;
  public @Nullable String sessionId;
  public @Nullable String sandboxId;
  public String action;
  public String result;
  public @Nullable String address;
}
