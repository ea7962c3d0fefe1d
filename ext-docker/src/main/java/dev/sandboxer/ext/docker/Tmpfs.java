package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import java.util.Map;
import java.util.TreeMap;

/**
 * File systems in memory, each with a size and a number of files, all charged to the sandbox. They
 * keep what they hold when every process has ended; were they to fill the memory, the kernel would
 * have nothing left to end but boxd. So where they could, each is smaller, all in proportion.
 */
final class Tmpfs {

  private static final long BYTES_PER_FILE = 4096;
  private static final long LEAST_FILES = 256;
  private static final long MOST_SHM = 64L << 20;
  private static final long LEAST_SHM = 4L << 20;

  /** Memory that nothing fills which outlives the processes of user code. */
  private static final long BOXD_BYTES = 48L << 20;

  private Tmpfs() {}

  /**
   * Options by path inside. What an image declares as a volume would else be on the host's disk.
   */
  static Map<String, String> of(SandboxSpec spec, Image image, int uid) {
    Map<String, Long> sizes = sizes(spec, image);
    long room = room(spec.resources());
    long shm = Math.clamp(room - sum(sizes), LEAST_SHM, MOST_SHM);
    sizes.put(Inside.SHM, Math.min(shm, spec.resources().tmpBytes()));
    double share = Math.min(1, (double) room / sum(sizes));
    Map<String, String> all = new TreeMap<>();
    sizes.forEach((path, bytes) -> all.put(path, options(path, (long) (bytes * share), uid)));
    return all;
  }

  private static Map<String, Long> sizes(SandboxSpec spec, Image image) {
    Map<String, Long> sizes = new TreeMap<>();
    image.volumes().forEach(path -> sizes.put(path, spec.resources().tmpBytes()));
    sizes.put(Inside.TMP, spec.resources().tmpBytes());
    sizes.put(Inside.WORKSPACE, spec.resources().workspaceBytes());
    for (Mount mount : spec.mounts()) {
      if (mount instanceof Mount.Tmpfs memory) {
        sizes.put(mount.mountPath(), memory.sizeBytes());
      } else {
        sizes.remove(mount.mountPath());
      }
    }
    return sizes;
  }

  /** A quarter is for their inodes. */
  private static long room(Resources resources) {
    long memory = resources.memoryBytes();
    return (memory - Math.min(BOXD_BYTES, memory / 2)) / 4 * 3;
  }

  private static long sum(Map<String, Long> sizes) {
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  private static String options(String path, long bytes, int uid) {
    String mode = path.equals(Inside.TMP) || path.equals(Inside.SHM) ? "1777" : "0755";
    return "rw,nosuid,nodev,%s,size=%d,nr_inodes=%d,mode=%s,uid=%d,gid=%d"
        .formatted(
            path.equals(Inside.SHM) ? "noexec" : "exec",
            Math.max(BYTES_PER_FILE, bytes),
            Math.max(LEAST_FILES, bytes / BYTES_PER_FILE),
            mode,
            uid,
            uid);
  }
}
