package dev.sandboxer.platform.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of a request, read field by field. Each mistake is a VALIDATION problem that names
 * field, value and what is wanted.
 */
public final class Body {

  private final JsonNode node;
  private final String path;
  private final @Nullable Object example;

  Body(JsonNode node, String path, @Nullable Object example) {
    this.node = node;
    this.path = path;
    this.example = example;
  }

  /**
   * Refuses every field but these.
   *
   * @param known names of all fields that may come
   * @return this
   */
  public Body only(String... known) {
    Set<String> unknown = others(known);
    if (!unknown.isEmpty()) {
      throw invalid(
          "unknown fields %s%s; known are %s".formatted(quoted(unknown), place(), List.of(known)));
    }
    return this;
  }

  /**
   * Fields other than these, for a protocol that ignores what it does not know.
   *
   * @param known names of all fields that are read
   * @return the others, each with its path, sorted
   */
  public List<String> unknown(String... known) {
    return others(known).stream().map(name -> path + name).toList();
  }

  private Set<String> others(String... known) {
    Set<String> others = new TreeSet<>();
    node.fieldNames().forEachRemaining(others::add);
    List.of(known).forEach(others::remove);
    return others;
  }

  private String place() {
    return path.isEmpty() ? "" : " in '%s'".formatted(path.substring(0, path.length() - 1));
  }

  /**
   * A text that must be there.
   *
   * @param name of the field
   * @param form that it must have
   * @param wanted the form in words
   * @return the text
   */
  public String text(String name, Pattern form, String wanted) {
    return optionalText(name, form, wanted)
        .orElseThrow(() -> invalid("field '%s' is missing: %s".formatted(path + name, wanted)));
  }

  /**
   * A text that may be there.
   *
   * @param name of the field
   * @param form that it must have
   * @param wanted the form in words
   * @return the text, empty if absent or null
   */
  public Optional<String> optionalText(String name, Pattern form, String wanted) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isTextual() || !form.matcher(value.textValue()).matches()) {
      throw wrong(name, value, wanted);
    }
    return Optional.of(value.textValue());
  }

  /**
   * A whole number that may be there.
   *
   * @param name of the field
   * @param least lowest allowed
   * @param most highest allowed
   * @return the number, empty if absent or null
   */
  public Optional<Long> optionalNumber(String name, long least, long most) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < least
        || value.longValue() > most) {
      throw wrong(name, value, "a whole number from %d to %d".formatted(least, most));
    }
    return Optional.of(value.longValue());
  }

  /**
   * A number that may be there and may have decimals.
   *
   * @param name of the field
   * @param least lowest allowed
   * @param most highest allowed
   * @return the number, empty if absent or null
   */
  public Optional<Double> optionalDecimal(String name, long least, long most) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    double number = value.isNumber() ? value.doubleValue() : Double.NaN;
    if (!(number >= least && number <= most)) {
      throw wrong(name, value, "a number from %d to %d".formatted(least, most));
    }
    return Optional.of(number);
  }

  /**
   * An object inside.
   *
   * @param name of the field
   * @return the object
   */
  public Body object(String name) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      throw invalid("field '%s' is missing: an object".formatted(path + name));
    }
    if (!value.isObject()) {
      throw wrong(name, value, "an object");
    }
    return new Body(value, path + name + ".", example);
  }

  /**
   * Whether a field is there and not null.
   *
   * @param name of the field
   * @return false if absent or null
   */
  public boolean has(String name) {
    return node.hasNonNull(name);
  }

  /**
   * A flag that may be there.
   *
   * @param name of the field
   * @return false if absent or null
   */
  public boolean yes(String name) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return false;
    }
    if (!value.isBoolean()) {
      throw wrong(name, value, "true or false");
    }
    return value.booleanValue();
  }

  /**
   * A list of texts that may be there.
   *
   * @param name of the field
   * @param form that each must have
   * @param wanted the form in words
   * @param most how many at most
   * @return in the order of the request, empty if absent or null
   */
  public Optional<List<String>> optionalList(String name, Pattern form, String wanted, int most) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isArray() || value.size() > most) {
      throw wrong(name, value, "a list of at most %d: %s".formatted(most, wanted));
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode item : value) {
      if (!item.isTextual() || !form.matcher(item.textValue()).matches()) {
        throw wrong(name, item, wanted);
      }
      texts.add(item.textValue());
    }
    return Optional.of(List.copyOf(texts));
  }

  /**
   * Whether a field is there and a list.
   *
   * @param name of the field
   * @return false if absent, null or anything else
   */
  public boolean isList(String name) {
    return node.path(name).isArray();
  }

  /**
   * Whether a field is there and a number.
   *
   * @param name of the field
   * @return false if absent, null or anything else
   */
  public boolean isNumber(String name) {
    return node.path(name).isNumber();
  }

  /**
   * A map of texts that may be there.
   *
   * @param name of the field
   * @param key form of its names
   * @param wanted the names' form in words
   * @param maxEntries how many at most
   * @param maxLength of a value, in characters
   * @return in the order of the request, empty if absent
   */
  public Map<String, String> texts(
      String name, Pattern key, String wanted, int maxEntries, int maxLength) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Map.of();
    }
    if (!value.isObject() || value.size() > maxEntries) {
      throw wrong(name, value, "an object of at most %d texts".formatted(maxEntries));
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      texts.put(checkedKey(name, field.getKey(), key, wanted), entry(name, field, maxLength));
    }
    return texts;
  }

  /**
   * A map of texts, whole numbers and booleans that may be there.
   *
   * @param name of the field
   * @param key form of its names
   * @param wanted the names' form in words
   * @param maxEntries how many at most
   * @param maxLength of a value, in characters
   * @return as texts, in the order of the request, empty if absent
   */
  public Map<String, String> scalars(
      String name, Pattern key, String wanted, int maxEntries, int maxLength) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Map.of();
    }
    if (!value.isObject() || value.size() > maxEntries) {
      throw wrong(name, value, "an object of at most %d values".formatted(maxEntries));
    }
    Map<String, String> scalars = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      JsonNode one = field.getValue();
      boolean plain = one.isTextual() || one.isIntegralNumber() || one.isBoolean();
      if (!plain || one.asText().length() > maxLength) {
        throw wrong(
            name + "." + field.getKey(),
            one,
            "a text of at most %d characters, a whole number or a boolean".formatted(maxLength));
      }
      scalars.put(checkedKey(name, field.getKey(), key, wanted), one.asText());
    }
    return scalars;
  }

  /**
   * Reads a part that may be absent.
   *
   * @param name of the field
   * @return the object; empty if it is absent or null
   * @throws ProblemException VALIDATION if it is none
   */
  public Optional<Body> optionalObject(String name) {
    return has(name) ? Optional.of(object(name)) : Optional.empty();
  }

  /**
   * Reads a list of objects, of which each may be a text: short for an object with one field.
   *
   * @param name of the field
   * @param key the field that a text stands for
   * @param most items
   * @return the objects; empty if the list is absent or null
   * @throws ProblemException VALIDATION if it is anything else
   */
  public List<Body> optionalObjects(String name, String key, int most) {
    List<Body> objects = new ArrayList<>();
    for (JsonNode item : optionalItems(name, most)) {
      String at = "%s[%d]".formatted(name, objects.size());
      if (!item.isObject() && !item.isTextual()) {
        throw wrong(at, item, "a text or an object");
      }
      JsonNode object =
          item.isTextual() ? JsonNodeFactory.instance.objectNode().set(key, item) : item;
      objects.add(new Body(object, path + at + ".", example));
    }
    return objects;
  }

  /**
   * Reads a list of objects.
   *
   * @param name of the field
   * @param most items
   * @return the objects; empty if the list is absent or null
   * @throws ProblemException VALIDATION if it is anything else
   */
  public List<Body> optionalObjects(String name, int most) {
    List<Body> objects = new ArrayList<>();
    for (JsonNode item : optionalItems(name, most)) {
      String at = "%s[%d]".formatted(name, objects.size());
      if (!item.isObject()) {
        throw wrong(at, item, "an object");
      }
      objects.add(new Body(item, path + at + ".", example));
    }
    return objects;
  }

  private Iterable<JsonNode> optionalItems(String name, int most) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return List.of();
    }
    if (!value.isArray() || value.size() > most) {
      throw wrong(name, value, "a list of at most %d".formatted(most));
    }
    return value;
  }

  /**
   * Reads a decimal number that is above 0, written as a number or a text.
   *
   * @param name of the field
   * @return exact; empty if it is absent or null
   * @throws ProblemException VALIDATION if it is anything else
   */
  public Optional<BigDecimal> optionalPositive(String name) {
    JsonNode value = node.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if ((!value.isNumber() && !value.isTextual())
        || !value.asText().matches("[0-9]{1,9}(\\.[0-9]{1,9})?")
        || new BigDecimal(value.asText()).signum() == 0) {
      throw wrong(name, value, "a decimal number above 0");
    }
    return Optional.of(new BigDecimal(value.asText()));
  }

  /**
   * Whether a field is there, be it null.
   *
   * @param name of the field
   * @return false if the body does not mention it
   */
  public boolean mentions(String name) {
    return node.has(name);
  }

  /**
   * Reads values of any kind.
   *
   * @param name of the field
   * @return texts, booleans, {@link Long}, {@link BigDecimal}, lists and maps of these; empty if
   *     the field is absent or null
   * @throws ProblemException VALIDATION if it is no object
   */
  public Optional<Map<String, Object>> optionalValues(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    Map<String, Object> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : object(name).node.properties()) {
      values.put(field.getKey(), plain(name + "." + field.getKey(), field.getValue()));
    }
    return Optional.of(values);
  }

  private Object plain(String name, JsonNode value) {
    if (value.isTextual()) {
      return value.textValue();
    }
    if (value.isBoolean()) {
      return value.booleanValue();
    }
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      return value.longValue();
    }
    if (value.isNumber()) {
      return value.decimalValue();
    }
    if (value.isArray()) {
      List<Object> items = new ArrayList<>();
      value.forEach(item -> items.add(plain(name + "[" + items.size() + "]", item)));
      return items;
    }
    if (value.isObject()) {
      Map<String, Object> values = new TreeMap<>();
      value
          .properties()
          .forEach(
              one -> values.put(one.getKey(), plain(name + "." + one.getKey(), one.getValue())));
      return values;
    }
    throw wrong(name, value, "a value other than null");
  }

  private String checkedKey(String name, String key, Pattern form, String wanted) {
    if (!form.matcher(key).matches()) {
      throw invalid("name %s in '%s' must be %s".formatted(quoted(key), path + name, wanted));
    }
    return key;
  }

  private String entry(String name, Map.Entry<String, JsonNode> field, int maxLength) {
    JsonNode value = field.getValue();
    boolean bad =
        !value.isTextual()
            || value.textValue().length() > maxLength
            || value.textValue().indexOf('\0') >= 0;
    if (bad) {
      throw wrong(
          name + "." + field.getKey(),
          value,
          "a text of at most %d characters without NUL".formatted(maxLength));
    }
    return value.textValue();
  }

  private ProblemException wrong(String name, JsonNode value, String wanted) {
    return invalid("field '%s' is %s; it must be %s".formatted(path + name, shown(value), wanted));
  }

  /**
   * A VALIDATION problem with this call's example.
   *
   * @param detail for a person
   * @return to be thrown
   */
  public ProblemException invalid(String detail) {
    Problem problem = Problem.of(ErrorCode.VALIDATION, detail);
    return new ProblemException(example == null ? problem : problem.with("example", example));
  }

  /**
   * A VALIDATION problem of one field, with this call's example.
   *
   * @param name of the field
   * @param why continues a sentence that begins with the field's value
   * @return to be thrown
   */
  public ProblemException invalid(String name, String why) {
    return invalid("field '%s': %s %s".formatted(path + name, shown(node.path(name)), why));
  }

  private static String shown(JsonNode value) {
    String text = value.toString();
    return text.length() > 80 ? text.substring(0, 80) + "..." : text;
  }

  private static String quoted(Object value) {
    String text = String.valueOf(value);
    return "'" + (text.length() > 200 ? text.substring(0, 200) + "..." : text) + "'";
  }
}
