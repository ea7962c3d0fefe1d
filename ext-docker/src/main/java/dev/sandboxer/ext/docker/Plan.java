package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.model.BindPropagation;
import java.nio.file.Path;
import java.util.Map;

/**
 * What was found out before a container is made.
 *
 * @param facts of the Engine
 * @param image to run
 * @param uid user and group inside
 * @param boxd the binary, as the Engine sees it
 * @param config boxd's, as the Engine sees it
 * @param hosts the names that are known inside, as the Engine sees the file
 * @param shared the socket's folder, as the Engine sees it
 * @param propagation of the mounts of these four
 * @param tmpfs options by path inside
 * @param volumes where volumes stand on this machine, by path inside
 */
record Plan(
    EngineFacts facts,
    Image image,
    int uid,
    String boxd,
    String config,
    String hosts,
    String shared,
    BindPropagation propagation,
    Map<String, String> tmpfs,
    Map<String, Path> volumes) {

  /** The same with volumes that were mounted. */
  Plan with(Map<String, Path> mounted) {
    return new Plan(facts, image, uid, boxd, config, hosts, shared, propagation, tmpfs, mounted);
  }
}
