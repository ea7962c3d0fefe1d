package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.SandboxSpec;
import java.util.Map;
import java.util.TreeMap;

/** File systems in memory, each with a size and a number of files, all charged to the sandbox. */
final class Tmpfs {

  private static final long BYTES_PER_FILE = 4096;
  private static final long LEAST_FILES = 256;

  private Tmpfs() {}

  /**
   * Options by path inside. What an image declares as a volume would else be on the host's disk.
   */
  static Map<String, String> of(SandboxSpec spec, Image image, int uid) {
    Map<String, String> all = new TreeMap<>();
    image
        .volumes()
        .forEach(path -> all.put(path, options(spec.resources().tmpBytes(), "0755", uid)));
    all.put(Inside.TMP, options(spec.resources().tmpBytes(), "1777", uid));
    all.put(Inside.WORKSPACE, options(spec.resources().workspaceBytes(), "0755", uid));
    for (Mount mount : spec.mounts()) {
      if (mount instanceof Mount.Tmpfs memory) {
        all.put(mount.mountPath(), options(memory.sizeBytes(), "0755", uid));
      } else {
        all.remove(mount.mountPath());
      }
    }
    return all;
  }

  private static String options(long bytes, String mode, int uid) {
    return "rw,nosuid,nodev,exec,size=%d,nr_inodes=%d,mode=%s,uid=%d,gid=%d"
        .formatted(bytes, Math.max(LEAST_FILES, bytes / BYTES_PER_FILE), mode, uid, uid);
  }
}
