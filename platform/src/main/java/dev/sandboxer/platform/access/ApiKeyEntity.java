package dev.sandboxer.platform.access;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.hibernate.annotations.Generated;
import org.jspecify.annotations.Nullable;

/** A key's row. */
@Entity
@Table(name = "api_key")
class ApiKeyEntity {

  @Id public String id;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "tenant_id")
  public TenantEntity tenant;

  public String name;
  public String role;
  public byte[] secretHash;
  public @Nullable String userId;
  public @Nullable List<String> capabilities;
  public @Nullable List<String> scopes;
  @Generated public Instant createdAt;
  public @Nullable Instant endedAt;

  ApiKey key() {
    return new ApiKey(id, tenant.id, tenant.name, name, role(), limits(), createdAt, endedAt);
  }

  RecentKeys.Found found() {
    return new RecentKeys.Found(secretHash, new Principal(id, tenant.id, role(), limits()));
  }

  private Role role() {
    return Role.valueOf(role.toUpperCase(Locale.ROOT));
  }

  private Limits limits() {
    return new Limits(userId, capabilities, scopes);
  }
}
