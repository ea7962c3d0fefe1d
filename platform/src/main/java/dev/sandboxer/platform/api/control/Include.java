package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * The parameter {@code include} of a create and a get.
 *
 * @param access whether the reply is to hold a grant
 */
record Include(boolean access) {

  static Include of(@Nullable String value) {
    if (value != null && !value.equals("access")) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "parameter 'include' is '%s'; only 'access' can be included"
              .formatted(value.length() > 80 ? value.substring(0, 80) + "..." : value));
    }
    return new Include(value != null);
  }
}
