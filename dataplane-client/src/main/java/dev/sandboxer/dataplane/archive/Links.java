package dev.sandboxer.dataplane.archive;

import java.nio.file.Path;

/** Whether a symbolic link stays inside the folder that it is in. */
final class Links {
  private Links() {}

  /**
   * True for a relative target whose {@code ..} stand only at its start and do not climb above the
   * folder. A {@code ..} after a name is refused, because that name may itself be a link and then
   * it climbs from somewhere else.
   *
   * @param link the link's path relative to the folder, its parents being real folders
   */
  static boolean staysInside(Path link, String target) {
    if (target.isEmpty() || target.startsWith("/") || target.indexOf('\0') >= 0) {
      return false;
    }
    int depth = link.getNameCount() - 1;
    boolean names = false;
    for (String part : target.split("/", -1)) {
      if (part.equals("..")) {
        depth--;
        if (names || depth < 0) {
          return false;
        }
      } else if (!part.isEmpty() && !part.equals(".")) {
        names = true;
      }
    }
    return true;
  }
}
