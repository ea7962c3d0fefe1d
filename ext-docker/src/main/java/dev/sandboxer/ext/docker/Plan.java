package dev.sandboxer.ext.docker;

import java.nio.file.Path;
import java.util.Map;

/**
 * What was found out before a container is made.
 *
 * @param facts of the Engine
 * @param image to run
 * @param uid user and group inside
 * @param files boxd's
 * @param tmpfs options by path inside
 * @param volumes where volumes stand on this machine, by path inside
 */
record Plan(
    EngineFacts facts,
    Image image,
    int uid,
    BoxdFiles files,
    Map<String, String> tmpfs,
    Map<String, Path> volumes) {

  /** The same with volumes that were mounted. */
  Plan with(Map<String, Path> mounted) {
    return new Plan(facts, image, uid, files, tmpfs, mounted);
  }
}
