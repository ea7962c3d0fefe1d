package dev.sandboxer.platform.dataplane;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts what the relay refuses into the audit. The same refusal of the same caller is entered once a
 * minute: each costs a look into a map, and a flood of them neither slows the relay nor fills the
 * audit. Usable on event loops.
 */
final class RelayAudit {

  private static final Set<ErrorCode> DENIALS =
      Set.of(
          ErrorCode.UNAUTHENTICATED,
          ErrorCode.CAPABILITY_DENIED,
          ErrorCode.FORBIDDEN,
          ErrorCode.RATE_LIMITED);

  private static final Duration QUIET = Duration.ofMinutes(1);
  private static final int MOST_KNOWN = 4096;

  private final Consumer<AuditEntry> log;
  private final DataplaneTargets targets;
  private final InstantSource clock;

  /** Beyond {@link #MOST_KNOWN} some are evicted early, and entered again. */
  private final Map<Known, Boolean> entered =
      Caffeine.newBuilder()
          .maximumSize(MOST_KNOWN)
          .expireAfterWrite(QUIET)
          .executor(Runnable::run)
          .<Known, Boolean>build()
          .asMap();

  /**
   * Makes one.
   *
   * @param log takes entries without waiting
   * @param targets to know whose a sandbox is
   * @param clock for the entries
   */
  RelayAudit(Consumer<AuditEntry> log, DataplaneTargets targets, InstantSource clock) {
    this.log = log;
    this.targets = targets;
    this.clock = clock;
  }

  /** What was refused. */
  record Refused(
      SandboxId sandboxId,
      @Nullable Capability capability,
      ErrorCode code,
      @Nullable TokenClaims claims) {

    /** Such as {@code dataplane.exec}. */
    String action() {
      return capability == null ? "dataplane" : "dataplane." + capability.wireName();
    }
  }

  void refused(RoutingContext context, Refused refused) {
    if (!DENIALS.contains(refused.code())) {
      return;
    }
    String address = ClientAddress.of(context.request());
    TokenClaims claims = refused.claims();
    String caller = claims == null ? null : claims.clientId();
    Known known = new Known(address, caller, refused.sandboxId(), refused.action(), refused.code());
    if (entered.putIfAbsent(known, true) == null) {
      log.accept(entry(RequestId.of(context), known, claims));
    }
  }

  private AuditEntry entry(String requestId, Known known, @Nullable TokenClaims claims) {
    return new AuditEntry(
        0,
        clock.instant(),
        requestId,
        known.caller(),
        claims == null ? null : claims.subject(),
        targets.find(known.sandboxId()).map(DataplaneTargets.Target::tenantId).orElse(null),
        null,
        null,
        claims == null ? null : claims.sessionId(),
        known.sandboxId().publicId(),
        known.action(),
        known.code().name(),
        known.address());
  }

  private record Known(
      String address,
      @Nullable String caller,
      SandboxId sandboxId,
      String action,
      ErrorCode code) {}
}
