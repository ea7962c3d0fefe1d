package dev.sandboxer.cli.copy;

/** What the end of a path asks for. */
final class Ending {
  private Ending() {}

  /** {@code folder/.}: the folder's contents, not the folder itself. */
  static boolean contentsOnly(String path) {
    return path.equals(".") || path.endsWith("/.");
  }

  /** {@code folder/}: it is to be a folder. */
  static boolean folder(String path) {
    return path.endsWith("/") || contentsOnly(path) || path.equals("..") || path.endsWith("/..");
  }
}
