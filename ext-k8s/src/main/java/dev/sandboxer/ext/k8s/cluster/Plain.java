package dev.sandboxer.ext.k8s.cluster;

/** Text of others, for messages. */
public final class Plain {

  private Plain() {}

  /**
   * One line without control characters.
   *
   * @param text of a server, a node or a container
   * @param most characters that are kept, of its end
   * @return for a person
   */
  public static String text(String text, int most) {
    String line = text.strip().replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?");
    return line.length() <= most ? line : "…" + line.substring(line.length() - most);
  }
}
