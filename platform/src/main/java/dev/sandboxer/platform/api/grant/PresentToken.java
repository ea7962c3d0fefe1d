package dev.sandboxer.platform.api.grant;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Audience;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.TokenVerifier;
import dev.sandboxer.platform.token.Verdict;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The token that is to be renewed, checked as the relay checks it. */
@ApplicationScoped
class PresentToken {

  static final Pattern FORM = Pattern.compile("[\\x21-\\x7e]{1,4096}");

  private static final String BEARER = "Bearer ";
  private static final String KEY = "sbxk_";

  private final TokenVerifier verifier;
  private final RoutingContext request;

  PresentToken(TokenVerifier verifier, RoutingContext request) {
    this.verifier = verifier;
    this.request = request;
  }

  /** From the body, else from the header; one answer to every bad one. */
  TokenClaims check(Optional<String> token, @Nullable String authorization) {
    String value = token.or(() -> bearer(authorization)).orElseThrow(PresentToken::bad);
    SandboxId sandbox = Audience.sandboxOf(value).orElseThrow(PresentToken::bad);
    String address = ClientAddress.of(request.request());
    return switch (verifier.verify(value, sandbox, address)) {
      case Verdict.Accepted accepted -> accepted.claims();
      case Verdict.Refused _ -> throw bad();
      case Verdict.TooMany many ->
          throw new ProblemException(
              ErrorCode.RATE_LIMITED,
              "too many bad tokens came from this address; try again in %d s"
                  .formatted(many.retryAfterSeconds()));
    };
  }

  private static Optional<String> bearer(@Nullable String authorization) {
    return Optional.ofNullable(authorization)
        .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .map(value -> value.substring(BEARER.length()).strip())
        .filter(value -> !value.startsWith(KEY));
  }

  private static ProblemException bad() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "send the present token of the grant beside your key; acquire a new grant if it is over");
  }
}
