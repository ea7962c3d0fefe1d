package dev.sandboxer.yaml;

/** What becomes of the texts of a document when they are read. */
@FunctionalInterface
public interface Leaves {

  /** Texts stay as they are. */
  Leaves PLAIN = (value, text) -> text;

  /**
   * Fills one text in.
   *
   * @param value where it stands
   * @param text as it stands there
   * @return what it means
   * @throws YamlException if it means nothing; {@link OpenLeafException} if it cannot be known yet
   */
  String fill(YamlValue value, String text) throws YamlException;

  /**
   * Fills one text in where any type may stand.
   *
   * @param value where it stands
   * @param text as it stands there
   * @return a text, a whole number as {@link Long}, or a {@link Boolean}
   * @throws YamlException as {@link #fill}
   */
  default Object fillAny(YamlValue value, String text) throws YamlException {
    return fill(value, text);
  }
}
