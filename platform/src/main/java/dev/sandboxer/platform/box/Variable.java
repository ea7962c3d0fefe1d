package dev.sandboxer.platform.box;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a template may name. */
public enum Variable {
  LAUNCHER_TYPE,
  LAUNCHER_ID,
  SENDER_ID,
  CONVERSATION_ID,
  QUERY_ID,
  /** The pipeline of a chat platform or agent host. */
  PIPELINE,
  /** The tenant; boxes never cross tenants, with or without it. */
  TENANT,
  /** The same for all: it has no value. */
  GLOBAL;

  /**
   * The name in templates and requests.
   *
   * @return such as {@code launcher_type}
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a caller gives its value; the platform knows the others. */
  boolean given() {
    return this != TENANT && this != GLOBAL;
  }

  static Optional<Variable> of(String text) {
    return Arrays.stream(values()).filter(one -> one.text().equals(text)).findFirst();
  }

  static String names() {
    return Arrays.stream(values()).map(Variable::text).collect(Collectors.joining(", "));
  }

  /**
   * The variables that a caller may give.
   *
   * @return their names, for a message
   */
  public static String givenNames() {
    return Arrays.stream(values())
        .filter(Variable::given)
        .map(Variable::text)
        .collect(Collectors.joining(", "));
  }
}
