package dev.sandboxer.platform.api.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.boot.PublicAddress;
import dev.sandboxer.platform.session.Granted;
import dev.sandboxer.platform.session.Scope;
import dev.sandboxer.platform.session.ScopeType;
import dev.sandboxer.platform.session.SessionRow;
import dev.sandboxer.platform.token.Capability;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A session with a token: the fields of both shapes of the protocol. */
@Schema(
    name = "Session",
    requiredProperties = {
      "session_id",
      "sandbox",
      "token",
      "expires_at",
      "binding",
      "dataplane",
      "credentials",
      "policy",
      "warnings"
    })
@JsonInclude(JsonInclude.Include.NON_NULL)
record SessionReply(
    @Schema(examples = "ssn_k3v9a0q7x2m5n8b1c4d6") String sessionId,
    @Schema(description = "where the scope is a thread") @Nullable String threadId,
    SandboxPart sandbox,
    @Schema(description = "for this sandbox alone; never put it into a URL") String token,
    Instant expiresAt,
    BindingPart binding,
    DataplanePart dataplane,
    CredentialsPart credentials,
    PolicyPart policy,
    List<String> warnings) {

  static SessionReply of(Granted granted, PublicAddress.Coordinates coordinates) {
    SessionRow session = granted.session();
    Scope scope = session.scope();
    return new SessionReply(
        session.id(),
        scope.type() == ScopeType.THREAD ? scope.id() : null,
        new SandboxPart(
            session.sandbox().publicId(),
            session.sandbox().extensionId(),
            coordinates.http(),
            coordinates.webSocket()),
        granted.token().value(),
        granted.token().expiresAt(),
        BindingPart.of(session, granted.leaseUntil()),
        DataplanePart.of(coordinates),
        CredentialsPart.of(granted),
        PolicyPart.of(session),
        granted.warnings());
  }

  /** The sandbox in the short shape. */
  @Schema(
      name = "SessionSandbox",
      requiredProperties = {"id", "provider", "http_base_url", "ws_base_url"})
  record SandboxPart(
      @Schema(examples = "sb_k3v9a0q7x2m5n8b1c4d6") String id,
      @Schema(description = "the extension's id", examples = "ext.nsjail") String provider,
      String httpBaseUrl,
      String wsBaseUrl) {}

  /** The binding of the full shape; its id is the session's. */
  @Schema(
      name = "Binding",
      requiredProperties = {"id", "scope", "sandbox_id", "provider", "state", "lease_expires_at"})
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record BindingPart(
      String id,
      ScopePart scope,
      String sandboxId,
      String provider,
      @Schema(enumeration = {"provisioning", "active", "idle", "suspended", "terminated", "failed"})
          String state,
      Instant leaseExpiresAt,
      @Nullable Instant endedAt,
      @Nullable String endReason) {

    static BindingPart of(SessionRow session, Instant lease) {
      return new BindingPart(
          session.id(),
          new ScopePart(session.scope().type().text(), session.scope().id()),
          session.sandbox().publicId(),
          session.sandbox().extensionId(),
          session.phase().session(),
          lease.truncatedTo(ChronoUnit.MILLIS),
          session.endedAt(),
          session.endReason());
    }
  }

  /** A scope. */
  @Schema(
      name = "Scope",
      requiredProperties = {"type", "id"})
  record ScopePart(
      @Schema(enumeration = {"thread", "workspace", "assistant", "deployment", "user", "run"})
          String type,
      @Schema(examples = "thr_123") String id) {}

  /** Where the sandbox's own routes are. */
  @Schema(
      name = "DataplaneAddress",
      requiredProperties = {"http_base_url", "ws_base_url"})
  record DataplanePart(String httpBaseUrl, String wsBaseUrl) {

    static DataplanePart of(PublicAddress.Coordinates coordinates) {
      return new DataplanePart(coordinates.http(), coordinates.webSocket());
    }
  }

  /** The token of the full shape; the same as {@code token}. */
  @Schema(
      name = "Credentials",
      requiredProperties = {"token_type", "access_token", "expires_at", "granted_capabilities"})
  record CredentialsPart(
      @Schema(examples = "Bearer") String tokenType,
      String accessToken,
      Instant expiresAt,
      List<String> grantedCapabilities) {

    static CredentialsPart of(Granted granted) {
      return new CredentialsPart(
          "Bearer",
          granted.token().value(),
          granted.token().expiresAt(),
          granted.capabilities().stream().sorted().map(Capability::wireName).toList());
    }
  }

  /** Limits of the session. */
  @Schema(
      name = "SessionPolicy",
      requiredProperties = {"idle_timeout_seconds", "hard_ttl_seconds"})
  record PolicyPart(long idleTimeoutSeconds, long hardTtlSeconds) {

    private static final long UNTIL_READY = 28_800;

    static PolicyPart of(SessionRow session) {
      Instant hard = session.sandbox().hardExpiresAt();
      long seconds =
          hard == null
              ? UNTIL_READY
              : Math.max(0, Math.ceilDiv(between(session.createdAt(), hard), 1000L));
      return new PolicyPart(session.idleSeconds(), seconds);
    }

    private static long between(Instant from, Instant to) {
      return Duration.between(from, to).toMillis();
    }
  }
}
