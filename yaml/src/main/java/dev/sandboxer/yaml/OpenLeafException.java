package dev.sandboxer.yaml;

/** A value that is not wrong and not known yet, because it waits for an input. */
public final class OpenLeafException extends YamlException {

  private static final long serialVersionUID = 1L;

  /**
   * Marks a value as not known yet.
   *
   * @param at a failure of that value, for its place
   */
  public OpenLeafException(YamlException at) {
    super(at.file(), at.line(), at.field(), String.valueOf(at.getMessage()));
  }

  @Override
  public boolean open() {
    return true;
  }
}
