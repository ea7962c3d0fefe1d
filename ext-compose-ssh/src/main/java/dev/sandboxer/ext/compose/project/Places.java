package dev.sandboxer.ext.compose.project;

import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlValue;
import java.util.List;
import java.util.Optional;

/** Where in the user's file a mistake stands, as far as it stands there. */
record Places(String file, YamlMap main) {

  ExtensionException refused(List<String> keys, String why) {
    String sentence = "%s: %s: %s".formatted(file, String.join(".", keys), why);
    try {
      Optional<YamlValue> found = find(keys);
      if (found.isPresent() && found.get().field().equals(String.join(".", keys))) {
        sentence = found.get().wrong(why).sentence();
      } else if (found.isPresent()) {
        sentence = found.get().wrong("%s: %s".formatted(keys.getLast(), why)).sentence();
      }
    } catch (YamlException e) {
      // It was read before; without its place the sentence says enough.
    }
    return ProjectOptions.wrong(sentence);
  }

  /** The deepest value on the way. */
  private Optional<YamlValue> find(List<String> keys) throws YamlException {
    Optional<YamlValue> found = Optional.empty();
    YamlMap map = main;
    for (String key : keys) {
      Optional<YamlValue> next = map.find(key);
      if (next.isEmpty()) {
        return found;
      }
      found = next;
      if (!next.get().mapping()) {
        return found;
      }
      map = next.get().map();
    }
    return found;
  }
}
