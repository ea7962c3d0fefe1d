package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.address.CallableAddresses;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.extension.ExtensionSchemas;
import dev.sandboxer.platform.extension.ExtensionSchemas.Mistake;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.routing.Strategies;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.Network.AllowedHost;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Checks what only the installation knows: {@code options}, by the schemas of all backends that the
 * profile names, the routing strategy, which ranges of addresses the operator has opened, and which
 * wildcards are too wide by this release's list.
 */
@ApplicationScoped
class ProfileOptions implements OptionsCheck {

  private final ExtensionSchemas schemas;
  private final Strategies strategies;
  private final CallableAddresses opened;

  ProfileOptions(ExtensionSchemas schemas, Strategies strategies, Settings settings) {
    this.schemas = schemas;
    this.strategies = strategies;
    this.opened = settings.egressAddresses();
  }

  @Override
  public void check(Profile profile, YamlMap top, YamlProblems problems) {
    var _ = problems.read(false, () -> knownStrategy(profile, top));
    var _ = problems.read(false, () -> openedRanges(profile, top, problems));
    PublicSuffixes.check(top, problems);
    Optional<YamlValue> options = top.find("options");
    if (options.isPresent()) {
      var _ =
          problems.read(
              false,
              () -> {
                for (ExtensionId extension : profile.candidates()) {
                  mistakes(extension.text(), options.get()).forEach(problems::add);
                }
                return true;
              });
    }
  }

  private boolean knownStrategy(Profile profile, YamlMap top) throws YamlException {
    String strategy = profile.routing().strategy();
    if (!strategies.names().contains(strategy)) {
      throw Constants.unknown(
          top.get("routing").map().get("strategy"), strategy, Set.copyOf(strategies.names()));
    }
    return true;
  }

  private boolean openedRanges(Profile profile, YamlMap top, YamlProblems problems)
      throws YamlException {
    List<AllowedHost> allow = profile.network().allow();
    for (int i = 0; i < allow.size(); i++) {
      if (HostPattern.parse(allow.get(i).host()) instanceof HostPattern.Addresses addresses
          && !opened.covers(addresses.range())) {
        YamlValue item = top.get("network").map().get("allow").list().get(i);
        problems.add(
            item.map()
                .get("host")
                .wrong(
                    "the operator has not opened %s; SANDBOXER_EGRESS_ALLOW would"
                        .formatted(addresses)));
      }
    }
    return true;
  }

  /** What is not a mistake of the profile: a backend is not loaded, so nobody knows its options. */
  Optional<YamlException> unchecked(ProfileRecipe recipe) {
    List<String> unknown =
        recipe.profile().candidates().stream()
            .map(ExtensionId::text)
            .filter(extension -> !schemas.known(extension))
            .toList();
    return recipe
        .document()
        .find("options")
        .filter(_ -> !unknown.isEmpty())
        .map(
            options ->
                options.wrong(
                    "the options could not be checked, because %s is not loaded here"
                        .formatted(String.join(", ", unknown))));
  }

  /** What the backends that are loaded here cannot do; it does not keep a file from being read. */
  List<YamlException> unmet(ProfileRecipe recipe) {
    Profile profile = recipe.profile();
    List<YamlException> unmet = new ArrayList<>();
    for (ExtensionId extension : profile.candidates()) {
      Optional<ExtensionDescriptor> can = schemas.descriptor(extension.text());
      if (can.isEmpty()) {
        unmet.add(
            place(recipe, "extension", "routing")
                .wrong(
                    "%s is not loaded here; loaded are %s"
                        .formatted(extension.text(), sorted(schemas.loaded()))));
      } else if (!can.get().isolationLevels().contains(profile.isolation())) {
        unmet.add(
            place(recipe, "isolation")
                .wrong(
                    "level %s: %s has %s"
                        .formatted(
                            lower(profile.isolation()),
                            extension.text(),
                            can.get().isolationLevels().stream()
                                .map(ProfileOptions::lower)
                                .toList())));
      }
    }
    return unmet;
  }

  private static String sorted(Set<String> names) {
    return String.join(", ", new TreeSet<>(names));
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** The first of these keys that is there, else the id, which always is. */
  private static YamlValue place(ProfileRecipe recipe, String... keys) {
    return Stream.concat(Stream.of(keys), Stream.of("id"))
        .flatMap(key -> recipe.document().find(key).stream())
        .findFirst()
        .orElseThrow();
  }

  private List<YamlException> mistakes(String extension, YamlValue options) throws YamlException {
    Set<String> open = new HashSet<>();
    Map<String, Object> values =
        options
            .map()
            .plain(
                waiting -> {
                  open.add(waiting.field());
                  return "";
                });
    return schemas.options(extension, values).stream()
        .map(mistake -> new Located(mistake, at(options, mistake.path())))
        .filter(located -> located.standsWhatever(open))
        .map(Located::wrong)
        .toList();
  }

  /** The innermost value of a path that is in the file. */
  private static YamlValue at(YamlValue from, List<Object> path) {
    YamlValue at = from;
    try {
      for (Object step : path) {
        Optional<YamlValue> next =
            step instanceof Integer index
                ? at.list().stream().skip(index).findFirst()
                : at.map().find(step.toString());
        if (next.isEmpty()) {
          return at;
        }
        at = next.get();
      }
    } catch (YamlException e) {
      return at; // nothing lies below it
    }
    return at;
  }

  private record Located(Mistake mistake, YamlValue value) {

    /** Whether an input that is not given yet cannot put it right. */
    boolean standsWhatever(Set<String> open) {
      return mistake.ofKeys() || open.stream().noneMatch(this::holds);
    }

    private boolean holds(String field) {
      return field.equals(value.field())
          || field.startsWith(value.field() + ".")
          || field.startsWith(value.field() + "[");
    }

    YamlException wrong() {
      return value.wrong(mistake.message());
    }
  }
}
