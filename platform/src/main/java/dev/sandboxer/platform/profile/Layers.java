package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A document laid over those that it extends. Mappings merge key by key, lists and single values
 * replace. The merged values know their files.
 *
 * @param merged all layers in one
 * @param bases what is extended, nearest first, such as {@code profile.base@1}
 */
record Layers(YamlMap merged, List<String> bases) {

  /** What a layer says of itself alone. */
  private static final Set<String> OWN = Set.of("id", "version", "extends", "description");

  private static final Pattern REFERENCE =
      Pattern.compile("(?:profile\\.)?([a-z0-9][a-z0-9-]{0,62})@([1-9]\\d{0,8})");
  private static final int MAX_LAYERS = 8;

  /** Finds what can be extended. */
  interface Bases {

    /** The text of a version, which never changes. */
    Optional<Base> find(String id, int version, String reference);

    /** Versions that can be extended. */
    List<Integer> versions(String id);

    /** Nothing can be extended. */
    Bases NONE =
        new Bases() {
          @Override
          public Optional<Base> find(String id, int version, String reference) {
            return Optional.empty();
          }

          @Override
          public List<Integer> versions(String id) {
            return List.of();
          }
        };
  }

  /**
   * A version's text.
   *
   * @param file as errors show it
   * @param text of the file
   */
  record Base(String file, String text) {}

  static Layers read(String file, String text, Bases bases) throws YamlException {
    YamlMap top = YamlFile.read(file, text);
    List<String> chain = new ArrayList<>();
    YamlMap merged = new Reading(bases, own(top), chain).over(top);
    return new Layers(merged, List.copyOf(chain));
  }

  /** Which version a document is, as far as it can be read. */
  private static Set<String> own(YamlMap top) {
    Set<String> own = new LinkedHashSet<>();
    try {
      own.add(top.get("id").text() + "@" + top.get("version").integer(1, 999_999_999));
    } catch (YamlException e) {
      // The parser will say it; nothing can extend what has no name.
    }
    return own;
  }

  private record Reading(Bases bases, Set<String> seen, List<String> chain) {

    YamlMap over(YamlMap top) throws YamlException {
      Optional<YamlValue> wanted = top.find("extends");
      if (wanted.isEmpty()) {
        return top;
      }
      YamlMap base = base(wanted.get());
      return top.over(over(base), notInherited(top));
    }

    /** Either names the backends, so a layer that has one replaces both. */
    private static Set<String> notInherited(YamlMap top) {
      Set<String> keys = new LinkedHashSet<>(OWN);
      if (top.find("routing").isPresent() || top.find("extension").isPresent()) {
        keys.addAll(Set.of("routing", "extension"));
      }
      return keys;
    }

    private YamlMap base(YamlValue wanted) throws YamlException {
      Matcher match = REFERENCE.matcher(wanted.text());
      if (!match.matches()) {
        throw wanted.wrong(
            "%s must name a profile and its version, such as base@1".formatted(wanted.shown()));
      }
      String id = "profile." + match.group(1);
      String reference = id + "@" + match.group(2);
      if (!seen.add(reference)) {
        throw wanted.wrong("it extends itself: %s -> %s".formatted(way(), reference));
      }
      chain.add(reference);
      if (chain.size() > MAX_LAYERS) {
        throw wanted.wrong("more than %d layers: %s".formatted(MAX_LAYERS, way()));
      }
      Base base =
          bases
              .find(id, Integer.parseInt(match.group(2)), reference)
              .orElseThrow(() -> missing(wanted, id, reference));
      return YamlFile.read(base.file(), base.text());
    }

    private YamlException missing(YamlValue wanted, String id, String reference) {
      List<Integer> versions = bases.versions(id);
      return wanted.wrong(
          "there is no %s; %s"
              .formatted(
                  reference,
                  versions.isEmpty()
                      ? "no version of " + id + " is known"
                      : "known versions are " + versions));
    }

    private String way() {
      return String.join(" -> ", seen);
    }
  }
}
