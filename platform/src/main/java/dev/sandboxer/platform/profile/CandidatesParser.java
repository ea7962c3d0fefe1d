package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads which backends a profile may run on: {@code extension} names one, {@code routing} several.
 */
final class CandidatesParser {

  static final Set<String> KNOWN = Set.of("strategy", "candidates");
  static final Set<String> RESERVED = Set.of("require", "prefer");

  private static final int MOST = 16;

  private CandidatesParser() {}

  static List<ExtensionId> parse(YamlMap top, YamlProblems problems) {
    Optional<YamlValue> routing = top.find("routing");
    return problems.read(
        List.of(),
        () -> {
          if (routing.isEmpty()) {
            return List.of(extension(top.get("extension")));
          }
          if (top.find("extension").isPresent()) {
            throw routing
                .get()
                .wrong("'extension' names the only candidate; leave out one of the two");
          }
          return routing(routing.get().map(), problems);
        });
  }

  private static List<ExtensionId> routing(YamlMap map, YamlProblems problems)
      throws YamlException {
    map.allowOnly(KNOWN, RESERVED, problems);
    Optional<YamlValue> strategy = map.find("strategy");
    if (strategy.isPresent() && !strategy.get().text().equals("explicit")) {
      throw strategy
          .get()
          .wrong(
              "%s is not supported yet; explicit is, which tries the candidates in their order"
                  .formatted(strategy.get().shown()));
    }
    YamlValue value = map.get("candidates");
    List<ExtensionId> candidates = new ArrayList<>();
    for (YamlValue item : value.list()) {
      @Nullable ExtensionId extension =
          problems.<@Nullable ExtensionId>read(null, () -> extension(item));
      if (extension != null && candidates.contains(extension)) {
        problems.add(item.wrong("%s is named twice".formatted(item.shown())));
      } else if (extension != null) {
        candidates.add(extension);
      }
    }
    if (value.list().isEmpty() || value.list().size() > MOST) {
      throw value.wrong("name 1 to %d backends".formatted(MOST));
    }
    return candidates;
  }

  private static ExtensionId extension(YamlValue value) throws YamlException {
    try {
      return new ExtensionId(value.text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(
          "%s must be ext.<name>, lower case letters, digits and dashes".formatted(value.shown()));
    }
  }
}
