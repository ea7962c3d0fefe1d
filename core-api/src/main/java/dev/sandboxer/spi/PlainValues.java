package dev.sandboxer.spi;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values as JSON has them, in one form, so that equal values are equal objects and have the same
 * JSON text: keys in order, whole numbers of 64 bits as {@link Long}, other numbers as {@link
 * BigDecimal} without zeros at the end.
 */
final class PlainValues {

  private static final int MAX_DEPTH = 32;

  private PlainValues() {}

  /** A deep, immutable copy; null, as a stored spec of an earlier release has, is no values. */
  static Map<String, Object> copyOf(@Nullable Map<String, ?> values) {
    return values == null ? Map.of() : map(values, 0);
  }

  private static Map<String, Object> map(Map<?, ?> values, int depth) {
    Map<String, Object> copy = new TreeMap<>();
    values.forEach((key, value) -> copy.put(key(key), value(value, depth + 1)));
    return Collections.unmodifiableMap(new LinkedHashMap<>(copy));
  }

  private static String key(@Nullable Object key) {
    if (key instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("key '" + key + "' must be a text");
  }

  private static Object value(@Nullable Object value, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("more than " + MAX_DEPTH + " levels");
    }
    return switch (value) {
      case String text -> text;
      case Boolean truth -> truth;
      case Map<?, ?> map -> map(map, depth);
      case List<?> list -> list(list, depth);
      case Number number -> number(number);
      case null, default ->
          throw new IllegalArgumentException(
              "'" + value + "' must be a text, number, boolean, list or map");
    };
  }

  private static List<Object> list(List<?> items, int depth) {
    List<Object> copy = new ArrayList<>();
    items.forEach(item -> copy.add(value(item, depth + 1)));
    return Collections.unmodifiableList(copy);
  }

  private static Object number(Number number) {
    BigDecimal exact = exact(number);
    BigDecimal shortest = exact.signum() == 0 ? BigDecimal.ZERO : exact.stripTrailingZeros();
    boolean whole = shortest.scale() <= 0 && shortest.precision() - shortest.scale() <= 19;
    if (whole && shortest.toBigInteger().bitLength() < Long.SIZE) {
      return shortest.longValueExact();
    }
    return shortest;
  }

  private static BigDecimal exact(Number number) {
    return switch (number) {
      case BigDecimal decimal -> decimal;
      case BigInteger integer -> new BigDecimal(integer);
      case Double decimal -> BigDecimal.valueOf(decimal);
      case Float decimal -> new BigDecimal(decimal.toString());
      default -> BigDecimal.valueOf(number.longValue());
    };
  }
}
