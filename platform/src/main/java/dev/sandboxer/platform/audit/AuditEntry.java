package dev.sandboxer.platform.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One deed or refusal.
 *
 * @param id its place in the audit, 0 before it is written
 * @param at instant of the deed
 * @param requestId of the request
 * @param caller the key, null if none was valid
 * @param userId on whose behalf, null if unknown
 * @param tenantId whose, null if unknown
 * @param scopeType such as {@code thread}, null if none
 * @param scopeId the tenant's name for it, null if none
 * @param sessionId null if none
 * @param sandboxId {@code sb_...}, null if none
 * @param action such as {@code session.ensure}
 * @param result {@code ok}, or the error's code
 * @param address of the caller, null if unknown
 */
public record AuditEntry(
    long id,
    Instant at,
    String requestId,
    @Nullable String caller,
    @Nullable String userId,
    @Nullable String tenantId,
    @Nullable String scopeType,
    @Nullable String scopeId,
    @Nullable String sessionId,
    @Nullable String sandboxId,
    String action,
    String result,
    @Nullable String address) {

  /** The result of what was done. */
  public static final String OK = "ok";
}
