package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.platform.id.SandboxId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where nodes ask each other for a stream to a boxd.
 *
 * @param sandboxId the sandbox's id
 * @param generation incarnation
 */
public record PeerPath(SandboxId sandboxId, int generation) {

  /** What a connection speaks after the upgrade: the bytes of boxd's own connection. */
  public static final String PROTOCOL = "sandboxer-boxd";

  /** The path begins with it. */
  public static final String PREFIX = "/internal/v1/boxd/";

  private static final Pattern FORM =
      Pattern.compile(PREFIX + "sb_([a-z][a-z0-9]{19})/([1-9]\\d{0,8})");

  static String of(SandboxId sandboxId, int generation) {
    return PREFIX + sandboxId.publicId() + "/" + generation;
  }

  /**
   * Reads a path.
   *
   * @param uri as it came
   * @return empty if it is none
   */
  public static Optional<PeerPath> parse(String uri) {
    Matcher match = FORM.matcher(uri);
    return match.matches()
        ? Optional.of(new PeerPath(new SandboxId(match.group(1)), Integer.parseInt(match.group(2))))
        : Optional.empty();
  }
}
