package dev.sandboxer.platform.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One deed or refusal. Its texts may come from anybody, one without a key included: what the
 * database or a reader of the audit could choke on is made harmless here.
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

  /** More than any known name has, and less than an index of the database can take. */
  private static final int LONGEST = 512;

  /** Makes all texts harmless. */
  public AuditEntry {
    requestId = text(requestId);
    caller = textIfAny(caller);
    userId = textIfAny(userId);
    tenantId = textIfAny(tenantId);
    scopeType = textIfAny(scopeType);
    scopeId = textIfAny(scopeId);
    sessionId = textIfAny(sessionId);
    sandboxId = textIfAny(sandboxId);
    action = text(action);
    result = text(result);
    address = textIfAny(address);
  }

  private static @Nullable String textIfAny(@Nullable String any) {
    return any == null ? null : text(any);
  }

  /**
   * A text as the audit has it: control characters and halves of characters are escapes that can be
   * seen, and what is too long is cut.
   *
   * @param any as it came
   * @return itself if it was harmless
   */
  public static String text(String any) {
    if (any.length() <= LONGEST && any.codePoints().noneMatch(AuditEntry::harmful)) {
      return any;
    }
    StringBuilder text = new StringBuilder();
    any.codePoints()
        .limit(LONGEST)
        .mapToObj(c -> harmful(c) ? "\\u%04x".formatted(c) : Character.toString(c))
        .takeWhile(c -> text.length() + c.length() <= LONGEST)
        .forEachOrdered(text::append);
    return text.toString();
  }

  private static boolean harmful(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE;
  }
}
