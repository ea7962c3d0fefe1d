package dev.sandboxer.platform.api;

import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The parameter {@code cursor} of lists that are ordered by time: a position, opaque to callers.
 */
public final class PageCursor {

  private PageCursor() {}

  /**
   * Writes it.
   *
   * @param last row of the page
   * @return the cursor of the next page
   */
  public static String text(RowPosition last) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString((last.at() + "/" + last.id()).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads it.
   *
   * @param cursor as it stands in the query, null if it does not
   * @return the position, null for the first page
   * @throws ProblemException VALIDATION if no list issued it
   */
  public static @Nullable RowPosition read(@Nullable String cursor) {
    if (cursor == null) {
      return null;
    }
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      int slash = text.indexOf('/');
      return new RowPosition(Instant.parse(text.substring(0, slash)), text.substring(slash + 1));
    } catch (IllegalArgumentException | DateTimeParseException | IndexOutOfBoundsException e) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "cursor '%s' was not issued by this list".formatted(cursor));
    }
  }
}
