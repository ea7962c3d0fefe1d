package dev.sandboxer.loading;

/**
 * One thing that was looked at.
 *
 * @param name such as {@code class files}
 * @param ok whether it is as it must be
 * @param detail what was found, for a person
 */
public record Finding(String name, boolean ok, String detail) {

  static Finding good(String name, String detail) {
    return new Finding(name, true, detail);
  }

  static Finding bad(String name, String detail) {
    return new Finding(name, false, detail);
  }
}
