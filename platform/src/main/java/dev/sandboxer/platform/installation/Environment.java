package dev.sandboxer.platform.installation;

import org.jspecify.annotations.Nullable;

/**
 * Where variables such as {@code SANDBOXER_HOME} are read; {@code System::getenv} in production.
 */
@FunctionalInterface
public interface Environment {

  /**
   * Reads one variable.
   *
   * @param name such as {@code SANDBOXER_HOME}
   * @return its value, null if it is not set
   */
  @Nullable String get(String name);
}
