package dev.sandboxer.platform.boot;

import java.util.List;

/**
 * An offline command: the platform's process runs it with the database open, listens on nothing,
 * and ends. A bean of this type is found by its name.
 */
public interface CommandMode {

  /**
   * The first argument of the command line.
   *
   * @return such as {@code reset-admin}
   */
  String name();

  /**
   * Runs the command.
   *
   * @param arguments after the name
   * @return the exit code, 0 if it went well
   */
  int run(List<String> arguments);
}
