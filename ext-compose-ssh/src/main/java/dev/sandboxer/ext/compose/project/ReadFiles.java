package dev.sandboxer.ext.compose.project;

import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What Compose would read while it reads a project, so that its own answer comes too late: other
 * projects, and files elsewhere. Wherever such a key stands, it counts.
 */
final class ReadFiles {

  private static final Set<String> FILES = Set.of("env_file", "label_file");
  private static final Pattern PLAIN = Pattern.compile("[^$:\\p{Cntrl}]+");
  private static final int MOST_VALUES = 20_000;

  private final ProjectFiles files;
  private final Set<String> seen = new HashSet<>();
  private int values;

  ReadFiles(ProjectFiles files) {
    this.files = files;
  }

  void check(String file) throws ExtensionException {
    if (!seen.add(file)) {
      return;
    }
    YamlMap top = files.yaml(file);
    try {
      for (String key : List.of("include", "<<")) {
        Optional<YamlValue> found = top.find(key);
        if (found.isPresent()) {
          throw found.get().wrong("other projects are not included: name all services in one file");
        }
      }
      check(file, top);
    } catch (YamlException e) {
      throw ProjectOptions.wrong(e.sentence());
    }
  }

  private void check(String file, YamlMap map) throws YamlException, ExtensionException {
    for (Map.Entry<String, YamlValue> one : map.entries().entrySet()) {
      YamlValue value = one.getValue();
      if (FILES.contains(one.getKey())) {
        for (YamlValue each : value.sequence() ? value.list() : List.of(value)) {
          inside(file, each.mapping() ? each.map().get("path") : each);
        }
      } else if (one.getKey().equals("extends") && value.mapping()) {
        Optional<YamlValue> other = value.map().find("file");
        if (other.isPresent()) {
          check(inside(file, other.get()));
        }
      }
      walk(file, value);
    }
  }

  private void walk(String file, YamlValue value) throws YamlException, ExtensionException {
    values++;
    if (values > MOST_VALUES) {
      throw value.wrong("the project has more than " + MOST_VALUES + " values");
    }
    if (value.mapping()) {
      check(file, value.map());
    } else if (value.sequence()) {
      for (YamlValue each : value.list()) {
        walk(file, each);
      }
    }
  }

  /** Its path in the project. What is filled in later cannot be checked now. */
  private static String inside(String file, YamlValue value) throws YamlException {
    String text = value.text();
    if (text.startsWith("/") || text.startsWith("~") || !PLAIN.matcher(text).matches()) {
      throw value.wrong(value.shown() + " must be a plain path within the project");
    }
    Path path = Path.of("/p/" + file).resolveSibling(text).normalize();
    if (!path.startsWith("/p") || path.getNameCount() < 2) {
      throw value.wrong(value.shown() + " is outside of the project");
    }
    return path.toString().substring("/p/".length());
  }
}
