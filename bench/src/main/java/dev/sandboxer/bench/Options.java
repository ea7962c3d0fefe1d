package dev.sandboxer.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param groups names, in the order of measuring
 * @param json JSON instead of a table
 */
record Options(List<String> groups, boolean json) {

  /**
   * Reads the words; no group means all.
   *
   * @throws IllegalArgumentException if a word is neither an option nor a group
   */
  static Options parse(String[] words, Collection<String> known) {
    List<String> asked = new ArrayList<>(Arrays.asList(words));
    boolean json = asked.removeIf("--json"::equals);
    for (String word : asked) {
      if (!known.contains(word)) {
        throw new IllegalArgumentException(
            "bench: '"
                + word
                + "' is unknown; it takes --json and any of: "
                + String.join(", ", known));
      }
    }
    return new Options(
        known.stream().filter(name -> asked.isEmpty() || asked.contains(name)).toList(), json);
  }
}
