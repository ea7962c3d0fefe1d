package dev.sandboxer.yaml;

/** Something in a YAML file is wrong. The message says what, with what value, without the place. */
public class YamlException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String file;
  private final int line;
  private final String field;

  /**
   * Makes the failure.
   *
   * @param file as shown to people
   * @param line from 1
   * @param field such as {@code resources.memory}, empty for the file as a whole
   * @param message what is wrong
   */
  public YamlException(String file, int line, String field, String message) {
    super(message);
    this.file = file;
    this.line = line;
    this.field = field;
  }

  /**
   * Whether nothing is wrong: the value only cannot be known before an input is given.
   *
   * @return false for every mistake
   */
  public boolean open() {
    return false;
  }

  /**
   * Which file.
   *
   * @return as shown to people
   */
  public String file() {
    return file;
  }

  /**
   * Where in the file.
   *
   * @return from 1
   */
  public int line() {
    return line;
  }

  /**
   * Which field.
   *
   * @return empty for the file as a whole
   */
  public String field() {
    return field;
  }

  /**
   * Place and message in one line.
   *
   * @return such as {@code local.yaml:4: resources.memory: ...}
   */
  public String sentence() {
    return file + ":" + line + ": " + (field.isEmpty() ? "" : field + ": ") + getMessage();
  }
}
