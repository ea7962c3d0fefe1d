package dev.sandboxer.platform.session;

import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import dev.sandboxer.platform.token.MintedToken;
import dev.sandboxer.platform.token.TokenMinter;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands out the tokens of sessions: first the lease reaches far enough, then the token is made. */
@ApplicationScoped
class SessionTokens {

  private final Leases leases;
  private final TokenMinter minter;
  private final GrantRecords records;
  private final CapabilityPolicy policy;

  SessionTokens(Leases leases, TokenMinter minter, GrantRecords records, CapabilityPolicy policy) {
    this.leases = leases;
    this.minter = minter;
    this.records = records;
    this.policy = policy;
  }

  /** Empty if the session has ended meanwhile. */
  Optional<Granted> grant(RequestedSession asked, SessionRow row) {
    Set<Capability> capabilities =
        policy.grant(asked.onBehalfOf(), row.sandbox().capabilities(), asked.requested());
    return leases
        .forToken(row, asked.heartbeat())
        .map(
            lease -> {
              if (asked.requested().isPresent() || asked.onBehalfOf().actor() != null) {
                records.keep(row.id(), asked.onBehalfOf(), capabilities);
              }
              return granted(
                  asked.onBehalfOf(), row, lease, capabilities, asked.threadId(), asked.runId());
            });
  }

  /** A token with what was granted before, less what is not allowed any more. */
  Granted refresh(OnBehalfOf onBehalfOf, SessionRow row) {
    return renewed(
        onBehalfOf, row, records.find(row.id(), onBehalfOf), row.threadId(), row.runId());
  }

  Granted renewed(
      OnBehalfOf onBehalfOf,
      SessionRow row,
      Optional<Set<Capability>> wanted,
      @Nullable String threadId,
      @Nullable String runId) {
    Set<Capability> capabilities = policy.grant(onBehalfOf, row.sandbox().capabilities(), wanted);
    Instant lease = leases.forToken(row, false).orElseThrow(() -> Sessions.expired(row));
    return granted(onBehalfOf, row, lease, capabilities, threadId, runId);
  }

  Optional<Instant> beat(SessionRow row) {
    return leases.forHeartbeat(row);
  }

  private Granted granted(
      OnBehalfOf onBehalfOf,
      SessionRow row,
      Instant lease,
      Set<Capability> capabilities,
      @Nullable String threadId,
      @Nullable String runId) {
    MintedToken token =
        minter.client(
            new ClientGrant(
                row.sandbox().id(),
                row.sandbox().generation(),
                row.minEpoch(),
                onBehalfOf.subject(),
                onBehalfOf.agent(),
                onBehalfOf.principal().keyId(),
                row.id(),
                capabilities,
                threadId,
                runId));
    return new Granted(row, lease, token, capabilities, List.of(), false);
  }
}
