package dev.sandboxer.platform.api;

import java.util.List;
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
}
