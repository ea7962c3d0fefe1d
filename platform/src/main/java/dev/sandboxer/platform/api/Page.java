package dev.sandboxer.platform.api;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param items on this page
 * @param nextCursor for {@code ?cursor=}, null on the last page
 * @param <T> what is listed
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

  /**
   * A list that has but one page.
   *
   * @param items all of them
   * @param <T> what is listed
   * @return the page
   */
  public static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /**
   * A page of a list that may have more.
   *
   * @param limit how many items a page has at most
   * @param found as many, and one more if there is more
   * @param view makes an item
   * @param cursor makes the cursor after a row
   * @param <R> a row
   * @param <T> what is listed
   * @return the page
   */
  public static <R, T> Page<T> of(
      int limit, List<R> found, Function<R, T> view, Function<R, String> cursor) {
    List<R> shown = found.subList(0, Math.min(limit, found.size()));
    return new Page<>(
        shown.stream().map(view).toList(),
        found.size() > limit ? cursor.apply(shown.getLast()) : null);
  }
}
