package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import java.util.Set;

/**
 * A call of the platform's own while it is open: use of its sandbox for as long as it lasts, and
 * cut when that ends.
 */
final class OpenCall implements OpenStreams.OpenStream {

  /** What is said of a call that was cut. */
  static final String ENDED = "it has ended";

  private static final String SUBJECT = "urn:sandboxer:platform";

  /** No client's token opened it, so that no revocation of tokens is about it. */
  private static final long NOT_REVOKED = Long.MAX_VALUE;

  private final Target target;
  private final TokenClaims claims;
  private final BlockingCalls calls;
  private final Collector<?> collector;

  OpenCall(Target target, Capability capability, BlockingCalls calls, Collector<?> collector) {
    this.target = target;
    this.claims = claims(target, capability);
    this.calls = calls;
    this.collector = collector;
  }

  /** What stands for a token where no client's opened something. */
  static TokenClaims claims(Target target, Capability capability) {
    return new TokenClaims(
        target.sandboxId(),
        target.generation(),
        NOT_REVOKED,
        SUBJECT,
        null,
        Set.of(capability),
        0,
        Long.MAX_VALUE);
  }

  @Override
  public Target target() {
    return target;
  }

  @Override
  public TokenClaims claims() {
    return claims;
  }

  @Override
  public void cut() {
    calls.giveUp(collector, new WireException(ENDED));
  }

  /** Who waits for it has a limit of its own. */
  @Override
  public void watch() {}
}
