package dev.sandboxer.platform.pipeline;

import dev.sandboxer.spi.Mount;
import java.util.Optional;

/**
 * A skill that is bound to a pipeline: a folder that each of its boxes has.
 *
 * @param name what the folder is called inside
 * @param packageRoot folder of the host
 * @param writable whether boxes may write there
 * @param contentDigest of what the folder must hold; empty for any content
 */
public record Skill(
    String name, String packageRoot, boolean writable, Optional<String> contentDigest) {

  /** The folder of all skills inside; from the reference Box runtime. */
  public static final String FOLDER = "/workspace/.skills";

  /**
   * Where it is mounted.
   *
   * @return a folder below {@link #FOLDER}
   */
  public Mount mount() {
    return new Mount.HostFolder(packageRoot, FOLDER + "/" + name, writable, contentDigest);
  }
}
