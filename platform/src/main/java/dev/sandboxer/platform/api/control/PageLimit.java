package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** The parameter {@code limit} of every list: how many items a page has at most. */
final class PageLimit {

  private static final int SILENT = 50;
  private static final int MOST = 1000;

  private PageLimit() {}

  /**
   * Reads it.
   *
   * @param text as it stands in the query, null if it does not
   * @throws ProblemException VALIDATION if it is no number from 1 to 1000
   */
  static int of(@Nullable String text) {
    if (text == null) {
      return SILENT;
    }
    if (!text.matches("[0-9]{1,4}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > MOST) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "limit '%s' must be 1 to %d".formatted(text, MOST));
    }
    return Integer.parseInt(text);
  }
}
