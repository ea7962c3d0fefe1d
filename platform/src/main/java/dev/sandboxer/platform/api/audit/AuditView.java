package dev.sandboxer.platform.api.audit;

import dev.sandboxer.platform.audit.AuditEntry;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An entry of the audit as callers see it. */
@Schema(name = "AuditEntry")
record AuditView(
    Instant at,
    String requestId,
    @Nullable String caller,
    @Nullable String user,
    @Nullable String tenantId,
    @Nullable String scopeType,
    @Schema(description = "of a thread: its thread_id") @Nullable String scopeId,
    @Nullable String sessionId,
    @Nullable String sandboxId,
    @Schema(examples = "session.ensure") String action,
    @Schema(description = "ok, or the error's code", examples = "ok") String result,
    @Nullable String address) {

  static final String CSV_HEAD =
      "at,request_id,caller,user,tenant_id,scope_type,scope_id,session_id,sandbox_id,action,result,address\r\n";

  private static final String FORMULA = "=+-@\t\r";

  static AuditView of(AuditEntry entry) {
    return new AuditView(
        entry.at(),
        entry.requestId(),
        entry.caller(),
        entry.userId(),
        entry.tenantId(),
        entry.scopeType(),
        entry.scopeId(),
        entry.sessionId(),
        entry.sandboxId(),
        entry.action(),
        entry.result(),
        entry.address());
  }

  /** A line of CSV (RFC 4180). */
  String csv() {
    List<String> cells =
        java.util.stream.Stream.of(
                at, requestId, caller, user, tenantId, scopeType, scopeId, sessionId, sandboxId,
                action, result, address)
            .map(value -> cell(Objects.toString(value, "")))
            .toList();
    return String.join(",", cells) + "\r\n";
  }

  /** A cell that a spreadsheet would take for a formula is quoted and begins with an apostrophe. */
  private static String cell(String text) {
    boolean formula = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
    boolean special = text.chars().anyMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r');
    String safe = (formula ? "'" : "") + text.replace("\"", "\"\"");
    return formula || special ? "\"" + safe + "\"" : safe;
  }
}
