package dev.sandboxer.cli.help;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** What somebody may have meant by a word that is not known. */
public final class Suggestion {
  /** Words of other tools, and ours. */
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("start", "up"),
          Map.entry("stop", "down"),
          Map.entry("ps", "ls"),
          Map.entry("status", "ls"),
          Map.entry("delete", "rm"),
          Map.entry("destroy", "rm"),
          Map.entry("remove", "rm"),
          Map.entry("kill", "rm"),
          Map.entry("copy", "cp"),
          Map.entry("new", "create"),
          Map.entry("show", "inspect"),
          Map.entry("describe", "inspect"),
          Map.entry("token", "access"),
          Map.entry("check", "doctor"),
          Map.entry("backends", "extensions"),
          Map.entry("sh", "exec"));

  private static final int LETTERS_A_MISTAKE = 3;

  private Suggestion() {}

  /**
   * The known word that is nearest.
   *
   * @return empty when none is near enough
   */
  public static Optional<String> of(String typed, Collection<String> known) {
    String synonym = SYNONYMS.get(typed);
    if (synonym != null && known.contains(synonym)) {
      return Optional.of(synonym);
    }
    String bare = typed.replaceFirst("=.*", "");
    if (bare.startsWith("-") && !bare.startsWith("--")) {
      return Optional.empty(); // one letter may stand for any other
    }
    int most = Math.max(1, bare.replaceFirst("^-+", "").length() / LETTERS_A_MISTAKE);
    return known.stream()
        .filter(word -> distance(bare, word) <= most)
        .min(Comparator.comparingInt((String word) -> distance(bare, word)).thenComparing(w -> w));
  }

  /** Letters to add, leave out, change or swap with their neighbour. */
  private static int distance(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(from, to, cost, i, j);
      }
    }
    return cost[from.length()][to.length()];
  }

  private static int cheapest(String from, String to, int[][] cost, int i, int j) {
    boolean same = from.charAt(i - 1) == to.charAt(j - 1);
    int least =
        Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
