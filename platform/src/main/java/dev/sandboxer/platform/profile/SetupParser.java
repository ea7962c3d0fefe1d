package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads section {@code setup}, and {@code resources.setup}. */
final class SetupParser {

  static final String SIZE = "256Mi";

  private static final int MOST_STEPS = 16;
  private static final int MOST_CHARACTERS = 8192;
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  private SetupParser() {}

  static Setup parse(
      Optional<YamlValue> value,
      Optional<YamlValue> resources,
      Set<String> variables,
      YamlProblems problems) {
    long size =
        resources
            .flatMap(SetupParser::size)
            .map(given -> problems.read(0L, () -> Units.size(given)))
            .orElseGet(() -> Units.size(SIZE));
    List<Setup.Step> steps =
        value.isEmpty() ? List.of() : problems.read(List.of(), () -> steps(value.get(), problems));
    return new Setup(steps, size, variables);
  }

  /** What is no map was said to be wrong where the other resources are read. */
  private static Optional<YamlValue> size(YamlValue resources) {
    try {
      return resources.map().find("setup");
    } catch (YamlException e) {
      return Optional.empty();
    }
  }

  private static List<Setup.Step> steps(YamlValue value, YamlProblems problems)
      throws YamlException {
    List<YamlValue> items = value.list();
    if (items.size() > MOST_STEPS) {
      throw value.wrong("name at most %d steps".formatted(MOST_STEPS));
    }
    List<Setup.Step> steps = new ArrayList<>();
    for (YamlValue item : items) {
      Setup.@Nullable Step step = problems.<Setup.@Nullable Step>read(null, () -> step(item.map()));
      if (step != null) {
        steps.add(step);
      }
    }
    return steps;
  }

  private static Setup.Step step(YamlMap map) throws YamlException {
    map.allowOnly(Set.of("run", "timeout"), Set.of());
    YamlValue run = map.get("run");
    String line = run.text();
    if (line.isBlank() || line.length() > MOST_CHARACTERS || line.indexOf('\0') >= 0) {
      throw run.wrong(
          "it must be a command for /bin/sh of at most %d characters, none of them NUL"
              .formatted(MOST_CHARACTERS));
    }
    Optional<YamlValue> timeout = map.find("timeout");
    return new Setup.Step(line, timeout.isEmpty() ? TIMEOUT : timeout(timeout.get()));
  }

  private static Duration timeout(YamlValue value) throws YamlException {
    Duration timeout = Units.duration(value);
    if (timeout.compareTo(LONGEST) > 0) {
      throw value.wrong("%s is longer than an hour".formatted(value.shown()));
    }
    return timeout;
  }
}
