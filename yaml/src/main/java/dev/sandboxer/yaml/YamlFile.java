package dev.sandboxer.yaml;

import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads one YAML document within bounds: size, depth, aliases. */
public final class YamlFile {

  private static final int MAX_CHARACTERS = 64 * 1024;
  private static final int MAX_DEPTH = 16;
  private static final int MAX_ALIASES = 10;

  private final String name;
  private final LoadSettings settings;

  private YamlFile(String name) {
    this.name = name;
    this.settings =
        LoadSettings.builder().setLabel(name).setCodePointLimit(MAX_CHARACTERS + 1).build();
  }

  /**
   * Reads a document whose top is a mapping.
   *
   * @param name of the file, for errors
   * @param text its content, at most 64 Ki characters, 16 levels, 10 aliases
   * @return the top
   * @throws YamlException if it is no YAML, empty, out of bounds or not a mapping
   */
  public static YamlMap read(String name, String text) throws YamlException {
    return new YamlFile(name).top(text);
  }

  private YamlMap top(String text) throws YamlException {
    if (text.length() > MAX_CHARACTERS) {
      throw wrong(1, "the file is longer than " + MAX_CHARACTERS + " characters");
    }
    try {
      checkBounds(text);
      Optional<Node> top = new Compose(settings).composeString(text);
      if (top.isEmpty()) {
        throw wrong(1, "the file is empty");
      }
      return new YamlValue(name, "", top.get()).map();
    } catch (MarkedYamlEngineException e) {
      throw wrong(e.getProblemMark().map(YamlFile::line).orElse(1), e.getProblem());
    } catch (YamlEngineException e) {
      throw wrong(1, String.valueOf(e.getMessage()));
    }
  }

  // Before anything recursive looks at the text.
  private void checkBounds(String text) throws YamlException {
    int depth = 0;
    int aliases = 0;
    for (Event event : new Parse(settings).parseString(text)) {
      switch (event.getEventId()) {
        case MappingStart, SequenceStart -> depth++;
        case MappingEnd, SequenceEnd -> depth--;
        case Alias -> aliases++;
        default -> {}
      }
      if (depth > MAX_DEPTH || aliases > MAX_ALIASES) {
        throw wrong(
            event.getStartMark().map(YamlFile::line).orElse(1),
            "more than %d levels or %d aliases".formatted(MAX_DEPTH, MAX_ALIASES));
      }
    }
  }

  private YamlException wrong(int line, String message) {
    List<String> lines = message.lines().map(String::strip).toList();
    return new YamlException(name, line, "", String.join(" ", lines));
  }

  static int line(Mark mark) {
    return mark.getLine() + 1;
  }
}
