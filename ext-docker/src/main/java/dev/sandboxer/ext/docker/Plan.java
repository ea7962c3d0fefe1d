package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.model.BindPropagation;
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
    Map<String, String> tmpfs) {}
