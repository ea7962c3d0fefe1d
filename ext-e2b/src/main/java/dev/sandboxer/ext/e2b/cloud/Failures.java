package dev.sandboxer.ext.e2b.cloud;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.time.Duration;
import java.util.Map;

/** What E2B's answers mean to the platform. */
final class Failures {

  /** Codes of newer servers that say more than the status. The set is open. */
  private static final Map<String, ErrorCode> CODES =
      Map.of(
          "sandbox_capacity_unavailable", ErrorCode.CAPACITY,
          "sandbox_no_compatible_node", ErrorCode.CAPACITY,
          "sandbox_placement_timeout", ErrorCode.CAPACITY,
          "sandbox_create_refused", ErrorCode.VALIDATION);

  private Failures() {}

  /** A refusal: the server says itself that it did nothing. */
  static ExtensionException refused(Account account, String what, Answer answer) {
    return of(account, what, answer, Outcome.NOTHING_CREATED);
  }

  /** Whether anything came of it is not known, where a server or a proxy failed. */
  static ExtensionException failed(Account account, String what, Answer answer) {
    boolean says = answer.status() < 500 || CODES.containsKey(answer.errorCode());
    boolean mayBe =
        !says
            || answer.errorCode().startsWith("idempotency_")
            || "sandbox_placement_timeout".equals(answer.errorCode());
    return of(account, what, answer, mayBe ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED);
  }

  private static ExtensionException of(
      Account account, String what, Answer answer, Outcome outcome) {
    ErrorCode code = code(answer);
    String hint =
        switch (code) {
          case AUTHORIZATION ->
              "; does the credential %s of the host name the right key?".formatted(Account.API_KEY);
          case CAPACITY ->
              answer
                  .retryAfter()
                  .map(Duration::toSeconds)
                  .map("; it may be tried again in %d s"::formatted)
                  .orElse("");
          default -> "";
        };
    return new ExtensionException(
        code,
        outcome,
        "E2B of host %s refused to %s: %s%s"
            .formatted(account.host(), what, answer.message(), hint),
        null);
  }

  private static ErrorCode code(Answer answer) {
    ErrorCode known = CODES.get(answer.errorCode());
    if (known != null) {
      return known;
    }
    return switch (answer.status()) {
      case 400, 404, 422 -> ErrorCode.VALIDATION;
      case 401, 403 -> ErrorCode.AUTHORIZATION;
      case 402 -> ErrorCode.QUOTA;
      case 429 -> ErrorCode.CAPACITY;
      case 405, 501 -> ErrorCode.UNSUPPORTED;
      default -> ErrorCode.UNAVAILABLE;
    };
  }

  static ExtensionException unanswered(Account account, String request, UnansweredException e) {
    return new ExtensionException(
        e.late() ? ErrorCode.TIMEOUT : ErrorCode.UNAVAILABLE,
        e.sent() ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED,
        "E2B of host %s, %s: %s".formatted(account.host(), request, e.getMessage()),
        e);
  }
}
