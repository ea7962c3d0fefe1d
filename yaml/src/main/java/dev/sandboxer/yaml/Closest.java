package dev.sandboxer.yaml;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a mistyped one was probably meant to be. */
public final class Closest {

  private Closest() {}

  /**
   * Finds the nearest known name.
   *
   * @param typed what was written
   * @param known names
   * @return empty if none is near
   */
  public static Optional<String> of(String typed, Collection<String> known) {
    int near = Math.max(1, typed.length() / 3);
    return known.stream()
        .filter(name -> distance(typed, name) <= near)
        .min(Comparator.comparingInt(name -> distance(typed, name)));
  }

  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, 1 + Math.min(above, row[j - 1]));
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
