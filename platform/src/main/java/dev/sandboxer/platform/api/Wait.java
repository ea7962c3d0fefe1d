package dev.sandboxer.platform.api;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The preference {@code wait=N} of a request (RFC 7240).
 *
 * @param limit how long to wait at most
 */
public record Wait(Duration limit) {

  private static final Pattern FORM =
      Pattern.compile("\\s*wait\\s*=\\s*\"?([0-9]{1,6})\"?\\s*(;.*)?");
  private static final int MAX_SECONDS = 600;

  /**
   * Reads the header; other preferences are ignored, as the RFC wants.
   *
   * @param prefer the header, null if absent
   * @return empty if nothing is to be waited for
   * @throws ProblemException VALIDATION if it is longer than ten minutes
   */
  public static Optional<Wait> of(@Nullable String prefer) {
    if (prefer == null) {
      return Optional.empty();
    }
    for (String preference : prefer.split(",", -1)) {
      var match = FORM.matcher(preference);
      if (match.matches()) {
        return Optional.of(new Wait(Duration.ofSeconds(checked(match.group(1)))));
      }
    }
    return Optional.empty();
  }

  private static int checked(String text) {
    int seconds = Integer.parseInt(text);
    if (seconds > MAX_SECONDS) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "Prefer: wait=%d is longer than %d seconds".formatted(seconds, MAX_SECONDS));
    }
    return seconds;
  }

  /**
   * The reply's Preference-Applied.
   *
   * @return such as {@code wait=30}
   */
  public String applied() {
    return "wait=" + limit.toSeconds();
  }
}
