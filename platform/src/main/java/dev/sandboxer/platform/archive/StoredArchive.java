package dev.sandboxer.platform.archive;

import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * An archive, complete.
 *
 * @param id {@code arc_...}, known to nobody outside
 * @param digest as {@code sha256:} and 64 hexadecimal digits
 * @param sizeBytes how many bytes it has
 * @param createdAt when it came first
 * @param keptUntil until when it is kept without a sandbox that has it
 * @param inUse whether a sandbox has it that is not destroyed
 */
public record StoredArchive(
    String id, String digest, long sizeBytes, Instant createdAt, Instant keptUntil, boolean inUse) {

  /** What digests begin with. */
  public static final String PREFIX = "sha256:";

  private static final Pattern DIGEST = Pattern.compile(PREFIX + "[0-9a-f]{64}");

  /**
   * Whether a text has the form of a digest.
   *
   * @param text of a caller
   * @return true for {@code sha256:} and 64 lower case hexadecimal digits
   */
  public static boolean isDigest(String text) {
    return DIGEST.matcher(text).matches();
  }

  static String digest(byte[] sha256) {
    return PREFIX + HexFormat.of().formatHex(sha256);
  }

  static byte[] sha256(String digest) {
    return HexFormat.of().parseHex(digest.substring(PREFIX.length()));
  }
}
