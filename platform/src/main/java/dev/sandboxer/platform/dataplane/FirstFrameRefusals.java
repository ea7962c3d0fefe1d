package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What is said to a client whose first frame was to bring a token, and why. What is about the token
 * is in the audit.
 */
final class FirstFrameRefusals {

  static final int POLICY = 1008;
  static final int INTERNAL = 1011;

  private static final Logger LOG = Logger.getLogger(FirstFrameRefusals.class);
  private static final int TOO_BIG = 1009;

  private final RelayRequest call;
  private final @Nullable Capability capability;
  private final RelayAudit audit;

  /**
   * Makes them.
   *
   * @param capability that the route needs, null for none
   */
  FirstFrameRefusals(RelayRequest call, @Nullable Capability capability, RelayAudit audit) {
    this.call = call;
    this.capability = capability;
    this.audit = audit;
  }

  /**
   * A last word.
   *
   * @param frame to send
   * @param status to close with
   */
  record Refused(Buffer frame, int status) {

    static Refused with(ErrorCode code, String message, int status) {
      return new Refused(AuthFrame.error(code, message), status);
    }
  }

  Refused noText() {
    return Refused.with(
        ErrorCode.UNAUTHENTICATED, "the first frame is no text of at most 16 KiB", TOO_BIG);
  }

  Refused late(Duration patience) {
    enter(ErrorCode.UNAUTHENTICATED, null);
    return Refused.with(
        ErrorCode.UNAUTHENTICATED,
        "no auth frame came within " + patience.toSeconds() + " s",
        POLICY);
  }

  /**
   * For a token that does not count.
   *
   * @param reason for the log alone
   * @param claims where the token is ours
   */
  Refused badToken(String reason, @Nullable TokenClaims claims) {
    enter(ErrorCode.UNAUTHENTICATED, claims);
    LOG.infof(
        "relay refused request_id=%s sandbox=%s address=%s: %s",
        call.requestId(), sandboxId(), call.address(), reason);
    return Refused.with(
        ErrorCode.UNAUTHENTICATED,
        "the first frame must be {\"type\":\"auth\",\"token\":...} with a valid token of this"
            + " sandbox",
        POLICY);
  }

  Refused tooManyTries(int seconds) {
    enter(ErrorCode.RATE_LIMITED, null);
    return Refused.with(
        ErrorCode.RATE_LIMITED,
        "too many bad tokens came from this address; try again in " + seconds + " s",
        POLICY);
  }

  Refused lacks(Capability needed, TokenClaims claims) {
    enter(ErrorCode.CAPABILITY_DENIED, claims);
    return Refused.with(
        ErrorCode.CAPABILITY_DENIED, "the token lacks the capability " + needed.wireName(), POLICY);
  }

  Refused tooManyStreams() {
    return Refused.with(ErrorCode.RATE_LIMITED, "too many open requests here", POLICY);
  }

  Refused notNow() {
    return Refused.with(
        ErrorCode.DATABASE_UNAVAILABLE, "the token cannot be checked now", INTERNAL);
  }

  Refused unreachable(String reason) {
    LOG.warnf("relay failed request_id=%s sandbox=%s: %s", call.requestId(), sandboxId(), reason);
    return Refused.with(
        ErrorCode.SANDBOX_UNREACHABLE,
        "sandbox " + sandboxId() + " cannot be reached: " + reason,
        INTERNAL);
  }

  private void enter(ErrorCode code, @Nullable TokenClaims claims) {
    audit.refused(call.context(), new RelayAudit.Refused(sandboxId(), capability, code, claims));
  }

  private SandboxId sandboxId() {
    return call.path().sandboxId();
  }
}
