package dev.sandboxer.yaml;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A value and where it stands. */
public final class YamlValue {

  private static final Set<Tag> SCALARS = Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL);

  private static final int MAX_DEPTH = 32;

  private final String file;
  private final String field;
  private final Node node;
  private final @Nullable YamlValue base;
  private final Leaves leaves;

  YamlValue(String file, String field, Node node) {
    this(file, field, node, null, Leaves.PLAIN);
  }

  private YamlValue(String file, String field, Node node, @Nullable YamlValue base, Leaves leaves) {
    this.file = file;
    this.field = field;
    this.node = node;
    this.base = base;
    this.leaves = leaves;
  }

  YamlValue over(YamlValue below) {
    YamlValue deepest = base == null ? below : base.over(below);
    return new YamlValue(file, field, node, deepest, leaves);
  }

  YamlValue filled(Leaves fill) {
    return new YamlValue(file, field, node, base == null ? null : base.filled(fill), fill);
  }

  /**
   * Which field.
   *
   * @return such as {@code mounts[0].host_path}
   */
  public String field() {
    return field;
  }

  /**
   * Reads a text; numbers and booleans count as the text that stands in the file.
   *
   * @return the text
   * @throws YamlException if it is empty, a list or a mapping
   */
  public String text() throws YamlException {
    if (node instanceof ScalarNode scalar && SCALARS.contains(scalar.getTag())) {
      return leaves.fill(this, scalar.getValue());
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
    if (node instanceof ScalarNode scalar && SCALARS.contains(scalar.getTag())) {
      String text = text();
      // What was filled in has no type of its own.
      boolean whole = scalar.getTag().equals(Tag.INT) || !text.equals(scalar.getValue());
      if (whole && text.matches("-?\\d{1,9}")) {
        int number = Integer.parseInt(text);
        if (number >= least && number <= most) {
          return number;
        }
      }
    }
    throw wrong("%s must be a whole number from %d to %d".formatted(shown(), least, most));
  }

  /**
   * Whether it is a mapping.
   *
   * @return false for a text or a list
   */
  public boolean mapping() {
    return node instanceof MappingNode;
  }

  /**
   * Whether it is a list.
   *
   * @return false for a text or a mapping
   */
  public boolean sequence() {
    return node instanceof SequenceNode;
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
      YamlValue value = child(below(key), tuple.getValueNode());
      if (values.put(key, value) != null) {
        throw new YamlValue(file, below(key), tuple.getKeyNode()).wrong("the key stands twice");
      }
    }
    YamlMap own = new YamlMap(this, values);
    return base != null && base.node instanceof MappingNode ? own.over(base.map(), Set.of()) : own;
  }

  private YamlValue child(String name, Node value) {
    return new YamlValue(file, name, value, null, leaves);
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
      items.add(child(field + "[" + items.size() + "]", item));
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
    String text = node instanceof ScalarNode scalar ? known(scalar.getValue()) : "this";
    return "'" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "'";
  }

  private String known(String text) {
    try {
      return leaves.fill(this, text);
    } catch (YamlException e) {
      return text;
    }
  }

  Object plain(int depth, OpenLeaves open) throws YamlException {
    if (depth > MAX_DEPTH) {
      throw wrong("more than " + MAX_DEPTH + " levels");
    }
    if (node instanceof MappingNode) {
      return map().plain(depth, open);
    }
    if (node instanceof SequenceNode) {
      List<Object> items = new ArrayList<>();
      for (YamlValue item : list()) {
        items.add(item.plain(depth + 1, open));
      }
      return items;
    }
    try {
      return plainLeaf();
    } catch (OpenLeafException e) {
      return open.replace(e);
    }
  }

  private Object plainLeaf() throws YamlException {
    if (!(node instanceof ScalarNode scalar) || !SCALARS.contains(scalar.getTag())) {
      throw wrong("it must be a text");
    }
    Object filled = leaves.fillAny(this, scalar.getValue());
    if (!(filled instanceof String text)) {
      return filled;
    }
    Tag tag = node.getTag();
    if (tag.equals(Tag.INT) && text.matches("-?(0|[1-9]\\d{0,8})")) {
      return Integer.valueOf(text);
    }
    if (tag.equals(Tag.INT) && text.matches("-?[1-9]\\d{0,17}")) {
      return Long.valueOf(text);
    }
    if (tag.equals(Tag.FLOAT) && text.matches("-?\\d{1,9}\\.\\d{1,9}")) {
      return new BigDecimal(text);
    }
    return tag.equals(Tag.BOOL) ? (Object) Boolean.valueOf(text) : text;
  }

  private String below(String key) {
    return field.isEmpty() ? key : field + "." + key;
  }
}
