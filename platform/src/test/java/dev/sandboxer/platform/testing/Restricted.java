package dev.sandboxer.platform.testing;

import java.nio.file.Path;
import java.util.Map;

/**
 * Low quotas, folders that may be mounted and the door of LangBot: what several classes need, so
 * that they share a start.
 */
public final class Restricted extends InProcess {

  /** How many boxes a tenant may hold; one that ended is soon forgotten. */
  public static final int BOXES = 5;

  /** How many volumes a tenant may hold. */
  public static final int VOLUMES = 6;

  /** Of LangBot's door. */
  public static final String LANGBOT_TOKEN = "0123456789abcdef";

  /**
   * A folder that may be mounted. It is below the build folder, since nobody but the tests' user
   * may write in what lies above.
   */
  public static final Path MOUNTS = Path.of("target", "mounts").toAbsolutePath();

  /** Another one. */
  public static final Path DIGESTS = Path.of("target", "digests").toAbsolutePath();

  @Override
  public Map<String, String> getConfigOverrides() {
    return settings(
        Map.of(
            "SANDBOXER_MAX_BOXES",
            "" + BOXES,
            "SANDBOXER_BOX_RETENTION",
            "1s",
            "SANDBOXER_MAX_VOLUMES",
            "" + VOLUMES,
            "SANDBOXER_MAX_VOLUME_GIB",
            "1",
            "SANDBOXER_MAX_ARCHIVE_MIB",
            "70",
            "SANDBOXER_SWEEP_GRACE_SECONDS",
            "2",
            "SANDBOXER_LANGBOT_TOKEN",
            LANGBOT_TOKEN,
            "SANDBOXER_MOUNT_ROOTS",
            "%s:rw,%s:rw".formatted(MOUNTS, DIGESTS)));
  }
}
