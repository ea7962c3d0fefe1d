package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.AdmissionRefusedException;
import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.problem.Category;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Says failures in the client's words. */
final class Failures {

  private static final Logger LOG = Logger.getLogger(Failures.class);

  private Failures() {}

  /** The error that a client gets for a failure. */
  static BoxError of(Throwable failure) {
    return switch (failure) {
      case BoxError known -> known;
      case AdmissionRefusedException refused ->
          new BoxError(Kind.ADMISSION, Objects.requireNonNullElse(refused.getMessage(), "refused"));
      case ProblemException problem -> of(problem.problem());
      default -> {
        LOG.error("an action of LangBot's client failed", failure);
        yield new BoxError(Kind.OTHER, "internal error; the platform's log has more");
      }
    };
  }

  private static BoxError of(Problem problem) {
    if (problem.code() == ErrorCode.BOX_CONFLICT) {
      return new BoxError(Kind.SESSION_CONFLICT, conflict(problem));
    }
    return new BoxError(kind(problem.code()), problem.detail());
  }

  private static Kind kind(ErrorCode code) {
    return switch (code) {
      case VALIDATION, UNSUPPORTED, TOO_LARGE -> Kind.VALIDATION;
      case QUOTA_EXCEEDED, RATE_LIMITED, OVERLOADED, STORAGE_FULL -> Kind.CAPACITY_EXCEEDED;
      case SANDBOX_STARTING, INVALID_STATE, DATABASE_UNAVAILABLE -> Kind.BACKEND_UNAVAILABLE;
      default -> code.category() == Category.BACKEND ? Kind.BACKEND_UNAVAILABLE : Kind.OTHER;
    };
  }

  private static String conflict(Problem problem) {
    String fields =
        problem.members().get("differences") instanceof List<?> all
            ? all.stream()
                .map(one -> one instanceof Map<?, ?> difference ? shown(difference) : "")
                .distinct()
                .collect(Collectors.joining(", "))
            : "";
    return "the session already exists with "
        + fields
        + "; delete it first, or leave it until it has ended";
  }

  private static String shown(Map<?, ?> difference) {
    String field =
        String.valueOf(difference.get("field"))
            .replace("labels." + SessionLabels.PREFIX, "")
            .replace("inputs.", "");
    return "%s=%s (requested: %s)"
        .formatted(
            field, value(field, difference.get("box")), value(field, difference.get("request")));
  }

  /** The network is a label in the client's words and an input in those of profiles. */
  private static @Nullable Object value(String field, @Nullable Object value) {
    return field.equals(SessionNetwork.INPUT) && value instanceof String text
        ? SessionNetwork.shown(text)
        : value;
  }
}
