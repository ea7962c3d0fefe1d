package dev.sandboxer.yaml;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A value and where it stands. */
public final class YamlValue {

  private static final Set<Tag> SCALARS = Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL);

  private final String file;
  private final String field;
  private final Node node;

  YamlValue(String file, String field, Node node) {
    this.file = file;
    this.field = field;
    this.node = node;
  }

  /**
   * Reads a text; numbers and booleans count as the text that stands in the file.
   *
   * @return the text
   * @throws YamlException if it is empty, a list or a mapping
   */
  public String text() throws YamlException {
    if (node instanceof ScalarNode scalar && SCALARS.contains(scalar.getTag())) {
      return scalar.getValue();
    }
    throw wrong("it must be a text");
  }

  /**
   * Reads a whole number.
   *
   * @param least smallest that is allowed
   * @param most largest that is allowed
   * @return the number
   * @throws YamlException if it is no number or out of range
   */
  public int integer(int least, int most) throws YamlException {
    if (node instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.INT)
        && scalar.getValue().matches("-?\\d{1,9}")) {
      int number = Integer.parseInt(scalar.getValue());
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw wrong("%s must be a whole number from %d to %d".formatted(shown(), least, most));
  }

  /**
   * Reads a mapping.
   *
   * @return the mapping
   * @throws YamlException if it is none, or a key stands twice or is no text
   */
  public YamlMap map() throws YamlException {
    if (!(node instanceof MappingNode mapping)) {
      throw wrong("it must be a mapping of keys to values");
    }
    Map<String, YamlValue> values = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      String key = new YamlValue(file, field, tuple.getKeyNode()).text();
      YamlValue value = new YamlValue(file, below(key), tuple.getValueNode());
      if (values.put(key, value) != null) {
        throw new YamlValue(file, below(key), tuple.getKeyNode()).wrong("the key stands twice");
      }
    }
    return new YamlMap(this, values);
  }

  /**
   * Reads a list.
   *
   * @return its items
   * @throws YamlException if it is none
   */
  public List<YamlValue> list() throws YamlException {
    if (!(node instanceof SequenceNode sequence)) {
      throw wrong("it must be a list");
    }
    List<YamlValue> items = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      items.add(new YamlValue(file, field + "[" + items.size() + "]", item));
    }
    return items;
  }

  /**
   * A failure of this value.
   *
   * @param message what is wrong with it
   * @return to throw
   */
  public YamlException wrong(String message) {
    int line = node.getStartMark().map(YamlFile::line).orElse(1);
    return new YamlException(file, line, field, message);
  }

  /**
   * The value as an error shows it.
   *
   * @return short, quoted
   */
  public String shown() {
    String text = node instanceof ScalarNode scalar ? scalar.getValue() : "this";
    return "'" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "'";
  }

  private String below(String key) {
    return field.isEmpty() ? key : field + "." + key;
  }
}
