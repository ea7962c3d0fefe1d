package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.host.GoneNodes;
import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.routing.Routing.Require;
import dev.sandboxer.platform.routing.Routing.Wanted;
import dev.sandboxer.platform.routing.WhenLost;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads where a profile may run: {@code extension} names one backend, {@code routing} says what a
 * place must have and how places are ordered.
 */
final class RoutingParser {

  static final Set<String> KNOWN = Set.of("strategy", "candidates", "require", "prefer", "apart");
  private static final Set<String> REQUIRE =
      Set.of("region", "arch", "persistence", "hosting", "labels");

  private static final Set<String> ON_IDLE = Set.of("destroy", "suspend");

  private static final int MOST = 16;
  private static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";
  private static final String LABEL = "[A-Za-z0-9][A-Za-z0-9._/-]{0,62}";

  private static final Duration LOST_LEAST = GoneNodes.GRACE;
  private static final Duration LOST_MOST = Duration.ofDays(1);

  private final YamlProblems problems;

  private RoutingParser(YamlProblems problems) {
    this.problems = problems;
  }

  static Routing parse(YamlMap top, YamlProblems problems) {
    Routing none = Routing.of(List.of());
    Optional<YamlValue> routing = top.find("routing");
    Routing read =
        problems.read(
            none,
            () -> {
              if (routing.isEmpty()) {
                return Routing.of(extension(top.get("extension")));
              }
              if (top.find("extension").isPresent()) {
                throw routing
                    .get()
                    .wrong("'extension' names the only candidate; leave out one of the two");
              }
              return new RoutingParser(problems).routing(routing.get());
            });
    @Nullable Money most =
        problems.<@Nullable Money>read(
            null,
            () -> {
              Optional<YamlValue> cost = top.find("max_cost");
              return cost.isEmpty() ? null : cost(cost.get(), problems);
            });
    boolean suspend =
        problems.read(
            false,
            () -> {
              Optional<YamlValue> idle = top.find("on_idle");
              return idle.isPresent() && suspends(idle.get());
            });
    return read.costing(most).losing(lost(top, problems)).idling(suspend);
  }

  private static boolean suspends(YamlValue idle) throws YamlException {
    String text = idle.text();
    if (!ON_IDLE.contains(text)) {
      throw Constants.unknown(idle, text, ON_IDLE);
    }
    return text.equals("suspend");
  }

  private static @Nullable WhenLost lost(YamlMap top, YamlProblems problems) {
    Optional<YamlValue> action = top.find("on_lost");
    Optional<YamlValue> after = top.find("lost_after");
    if (action.isEmpty() && after.isEmpty()) {
      return null;
    }
    return problems.<@Nullable WhenLost>read(
        null,
        () ->
            new WhenLost(
                action.isEmpty()
                    ? WhenLost.WAIT.action()
                    : Constants.of(WhenLost.Action.class, action.get()),
                after.isEmpty() ? WhenLost.WAIT.afterSeconds() : lostAfter(after.get())));
  }

  private static long lostAfter(YamlValue value) throws YamlException {
    Duration after = Units.duration(value);
    if (after.compareTo(LOST_LEAST) < 0 || after.compareTo(LOST_MOST) > 0) {
      throw value.wrong(
          "%s must be %s to %s: no node is known to be gone earlier"
              .formatted(value.shown(), Units.text(LOST_LEAST), Units.text(LOST_MOST)));
    }
    return after.toSeconds();
  }

  private static Money cost(YamlValue value, YamlProblems problems) throws YamlException {
    YamlMap map = value.map();
    map.allowOnly(Set.of("amount", "currency"), Set.of(), problems);
    String amount = map.get("amount").text();
    try {
      return Money.of(amount, map.get("currency").text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Routing routing(YamlValue value) throws YamlException {
    YamlMap map = value.map();
    map.allowOnly(KNOWN, Set.of(), problems);
    Optional<YamlValue> named = map.find("candidates");
    List<Wanted> candidates = named.isEmpty() ? List.of() : candidates(named.get());
    Optional<YamlValue> strategy = map.find("strategy");
    Optional<YamlValue> require = map.find("require");
    return new Routing(
        strategy.isEmpty() ? Routing.PREFER_SELF_HOSTED : text(strategy.get(), NAME, "a name"),
        candidates,
        require.isEmpty() ? Require.NOTHING : require(require.get().map()),
        labels(map, "prefer"),
        map.find("apart").isEmpty() ? null : text(map.get("apart"), LABEL, "the key of a label"),
        null,
        null,
        false);
  }

  private List<Wanted> candidates(YamlValue value) throws YamlException {
    List<Wanted> candidates = new ArrayList<>();
    for (YamlValue item : value.list()) {
      @Nullable Wanted one = problems.<@Nullable Wanted>read(null, () -> wanted(item));
      if (one != null && candidates.contains(one)) {
        problems.add(item.wrong("%s is named twice".formatted(item.shown())));
      } else if (one != null) {
        candidates.add(one);
      }
    }
    if (value.list().isEmpty() || value.list().size() > MOST) {
      throw value.wrong("name 1 to %d backends, or leave it out for all".formatted(MOST));
    }
    return candidates;
  }

  /** A backend's id, or a mapping that names one of its hosts. */
  private Wanted wanted(YamlValue item) throws YamlException {
    if (!item.mapping()) {
      return new Wanted(extension(item), null);
    }
    YamlMap map = item.map();
    map.allowOnly(Set.of("extension", "host"), Set.of(), problems);
    return new Wanted(
        extension(map.get("extension")),
        map.find("host").isEmpty() ? null : text(map.get("host"), NAME, "the name of a host"));
  }

  private Require require(YamlMap map) throws YamlException {
    map.allowOnly(REQUIRE, Set.of("isolation"), problems);
    return new Require(
        optional(map, "region", NAME, "a region's name"),
        optional(map, "arch", "[a-z0-9_]{1,20}", "such as amd64"),
        map.find("persistence").isEmpty()
            ? null
            : Constants.of(Persistence.class, map.get("persistence")),
        map.find("hosting").isEmpty() ? null : Constants.of(Hosting.class, map.get("hosting")),
        labels(map, "labels"));
  }

  private Map<String, String> labels(YamlMap map, String key) throws YamlException {
    Map<String, String> labels = new LinkedHashMap<>();
    Optional<YamlValue> value = map.find(key);
    if (value.isPresent()) {
      for (Map.Entry<String, YamlValue> one : value.get().map().entries().entrySet()) {
        if (!one.getKey().matches(LABEL)) {
          throw one.getValue().wrong("the name '%s' must match %s".formatted(one.getKey(), LABEL));
        }
        labels.put(one.getKey(), one.getValue().text());
      }
    }
    return labels;
  }

  private static @Nullable String optional(YamlMap map, String key, String form, String wanted)
      throws YamlException {
    Optional<YamlValue> value = map.find(key);
    return value.isEmpty() ? null : text(value.get(), form, wanted);
  }

  private static String text(YamlValue value, String form, String wanted) throws YamlException {
    String text = value.text();
    if (!text.matches(form)) {
      throw value.wrong("%s must be %s".formatted(value.shown(), wanted));
    }
    return text;
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
