package dev.sandboxer.platform.dataplane;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.Admission.Outcome;
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
 * Puts into the audit what the relay refuses, and who used what. The same refusal of the same
 * caller, and the same use by the same token, is entered once a minute: each costs a look into a
 * map, and a flood of them neither slows the relay nor fills the audit. Usable on event loops.
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
  private final Map<Known, Boolean> entered = onceAMinute();

  private final Map<Use, Boolean> uses = onceAMinute();

  private static <K> Map<K, Boolean> onceAMinute() {
    return Caffeine.newBuilder()
        .maximumSize(MOST_KNOWN)
        .expireAfterWrite(QUIET)
        .executor(Runnable::run)
        .<K, Boolean>build()
        .asMap();
  }

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
      @Nullable TokenClaims claims) {}

  /** Such as {@code dataplane.exec}. */
  private static String action(@Nullable Capability capability) {
    return capability == null ? "dataplane" : "dataplane." + capability.wireName();
  }

  void refused(RoutingContext context, Refused refused) {
    if (!DENIALS.contains(refused.code())) {
      return;
    }
    String address = ClientAddress.of(context.request());
    TokenClaims claims = refused.claims();
    String caller = claims == null ? null : claims.clientId();
    Known known =
        new Known(
            address,
            caller,
            refused.sandboxId(),
            action(refused.capability()),
            refused.code().name());
    if (entered.putIfAbsent(known, true) == null) {
      log.accept(entry(RequestId.of(context), known, claims));
    }
  }

  /**
   * What a token was used for.
   *
   * @param context of a request that was let in
   * @param admitted its sandbox and its token
   * @param capability that the route needs, null for none, which is not entered
   */
  void used(RoutingContext context, Outcome.Admitted admitted, @Nullable Capability capability) {
    if (capability == null) {
      return;
    }
    TokenClaims claims = admitted.claims();
    Use use =
        new Use(
            claims.sandboxId(),
            capability,
            claims.clientId(),
            claims.subject(),
            claims.sessionId(),
            claims.notBefore());
    if (uses.putIfAbsent(use, true) == null) {
      Known known =
          new Known(
              ClientAddress.of(context.request()),
              claims.clientId(),
              claims.sandboxId(),
              action(capability),
              AuditEntry.OK);
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
        known.result(),
        known.address());
  }

  private record Known(
      String address, @Nullable String caller, SandboxId sandboxId, String action, String result) {}

  /** One token's use of one capability. */
  private record Use(
      SandboxId sandboxId,
      Capability capability,
      @Nullable String caller,
      String subject,
      @Nullable String sessionId,
      long issued) {}
}
