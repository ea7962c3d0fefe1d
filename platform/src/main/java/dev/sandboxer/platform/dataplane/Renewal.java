package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A further {@code auth} on an open WebSocket. A good token takes the place of the one before, as
 * far as revocation asks; a bad one is an error frame and changes nothing. None of them reaches
 * boxd.
 */
final class Renewal implements WebSocketBridge.FurtherAuth {

  private final Admission admission;
  private final String address;
  private final Admission.Outcome.Admitted first;
  private final @Nullable Capability capability;
  private final Handler<Buffer> say;
  private volatile TokenClaims claims;

  /**
   * Makes one for an open stream.
   *
   * @param admission of tokens
   * @param address of the client
   * @param passage that opened the stream
   * @param say brings a frame to the client
   */
  Renewal(Admission admission, String address, AdmittedRequest passage, Handler<Buffer> say) {
    this.admission = admission;
    this.address = address;
    this.first = passage.admitted();
    this.capability = passage.capability();
    this.say = say;
    this.claims = first.claims();
  }

  TokenClaims claims() {
    return claims;
  }

  @Override
  public boolean taken(Buffer text) {
    AuthFrame frame = AuthFrame.read(text);
    if (!frame.auth()) {
      return false;
    }
    SandboxId sandbox = first.target().sandboxId();
    admission.token(frame.token(), sandbox, address, outcome -> say.handle(answer(outcome)));
    return true;
  }

  private Buffer answer(Admission.Outcome outcome) {
    return switch (outcome) {
      case Admission.Outcome.Admitted admitted -> renewed(admitted);
      case Admission.Outcome.Refused refused ->
          AuthFrame.error(
              ErrorCode.UNAUTHENTICATED, "the token is not a valid one of this sandbox");
      case Admission.Outcome.TooMany many ->
          AuthFrame.error(
              ErrorCode.RATE_LIMITED, "try again in " + many.retryAfterSeconds() + " s");
      case Admission.Outcome.Unavailable down ->
          AuthFrame.error(ErrorCode.DATABASE_UNAVAILABLE, "the token cannot be checked now");
    };
  }

  private Buffer renewed(Admission.Outcome.Admitted admitted) {
    if (admitted.target().generation() != first.target().generation()) {
      return AuthFrame.error(ErrorCode.UNAUTHENTICATED, "the token is of another generation");
    }
    if (capability != null && !admitted.claims().capabilities().contains(capability)) {
      return AuthFrame.error(
          ErrorCode.CAPABILITY_DENIED, "the token lacks the capability " + capability.wireName());
    }
    claims = admitted.claims();
    return AuthFrame.ok(admitted.claims().capabilities());
  }
}
