package dev.sandboxer.platform.api;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** The parameter {@code limit} of every list: how many items a page has at most. */
public final class PageLimit {

  private static final int DEFAULT = 50;
  private static final int MOST = 1000;

  private PageLimit() {}

  /**
   * Reads it.
   *
   * @param text as it stands in the query, null if it does not
   * @return the number, 50 where it is left out
   * @throws ProblemException VALIDATION if it is not a number from 1 to 1000
   */
  public static int of(@Nullable String text) {
    if (text == null) {
      return DEFAULT;
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
