package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.pricing.PriceFileParser.Parsed;
import dev.sandboxer.yaml.YamlException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the price lists say together. A list with a mistake is refused as a whole: its last good
 * version, if there is one, stays in force.
 *
 * @param files by name
 * @param prices of the versions that count
 */
record Reading(Map<String, State> files, Prices prices) {

  static final Reading NOTHING = new Reading(Map.of(), new Prices(List.of(), List.of()));

  /**
   * What became of a file.
   *
   * @param counts the version that counts, null if there is none
   * @param problems of the present version, empty if that one counts
   */
  record State(@Nullable PriceFile counts, List<YamlException> problems) {}

  /**
   * Reads all files.
   *
   * @param texts in order of their names
   * @param currency that prices are converted to
   * @param now ended prices are refused
   * @return with what this reading said of files that are wrong now
   */
  Reading next(List<PriceText> texts, String currency, Instant now) {
    Map<String, Parsed> parsed = new TreeMap<>();
    List<PriceFile> all = new ArrayList<>();
    for (PriceText text : texts) {
      Parsed file = parse(text);
      parsed.put(text.name(), file);
      Stream.of(file.file(), file.problems().isEmpty() ? null : earlier(text.name()))
          .filter(Objects::nonNull)
          .forEach(all::add);
    }
    PriceComparison comparison = new PriceComparison(currency, now, all);
    Map<String, State> files = new TreeMap<>();
    parsed.forEach(
        (name, file) -> {
          State state = compared(name, file, comparison);
          comparison.accept(state.counts());
          files.put(name, state);
        });
    return of(files);
  }

  private static Reading of(Map<String, State> files) {
    List<PriceFile> counts =
        files.values().stream().map(State::counts).filter(Objects::nonNull).toList();
    List<String> unknown =
        files.entrySet().stream()
            .filter(file -> file.getValue().counts() == null)
            .map(Map.Entry::getKey)
            .toList();
    return new Reading(files, new Prices(counts, unknown));
  }

  private static Parsed parse(PriceText text) {
    return text.unreadable().isEmpty()
        ? PriceFileParser.parse(text.name(), text.text())
        : new Parsed(null, List.of(new YamlException(text.name(), 1, "", text.unreadable())));
  }

  private State compared(String name, Parsed parsed, PriceComparison comparison) {
    PriceFile file = parsed.file();
    List<YamlException> problems = new ArrayList<>(parsed.problems());
    if (file != null) {
      problems.addAll(comparison.problems(file));
    }
    problems.sort(Comparator.comparingInt(YamlException::line));
    return new State(problems.isEmpty() ? file : earlier(name), problems);
  }

  private @Nullable PriceFile earlier(String name) {
    State state = files.get(name);
    return state == null ? null : state.counts();
  }
}
