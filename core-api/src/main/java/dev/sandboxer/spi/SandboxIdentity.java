package dev.sandboxer.spi;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Who a backend object belongs to. Fixed before {@code provision} is called.
 *
 * @param installation the installation's id, a UUID in text form
 * @param sandbox the raw sandbox id: a letter and 19 of {@code [a-z0-9]}
 * @param generation incarnation of the sandbox, from 1
 * @param attempt number of the attempt within the generation, from 1
 */
public record SandboxIdentity(String installation, String sandbox, int generation, int attempt) {

  private static final Pattern RAW_ID = Pattern.compile("[a-z][a-z0-9]{19}");
  private static final Pattern INSTALLATION = Pattern.compile("[0-9a-f-]{36}");

  /** Checks the values; {@link IllegalArgumentException} names what is wrong. */
  public SandboxIdentity {
    if (!INSTALLATION.matcher(installation).matches()) {
      throw new IllegalArgumentException("installation '" + installation + "' is not a UUID");
    }
    if (!RAW_ID.matcher(sandbox).matches()) {
      throw new IllegalArgumentException(
          "sandbox id '" + sandbox + "' must be a letter and 19 of [a-z0-9]");
    }
    if (generation < 1 || attempt < 1) {
      throw new IllegalArgumentException(
          "generation " + generation + " and attempt " + attempt + " must be at least 1");
    }
  }

  /**
   * A name for objects, files and sockets: unique in the installation, at most 32 characters of
   * {@code [a-z0-9-]} while generation and attempt have up to five digits each.
   *
   * @return {@code <sandbox>-<generation>-<attempt>}
   */
  public String name() {
    return sandbox + "-" + generation + "-" + attempt;
  }

  /**
   * Reads what {@link #name()} has written.
   *
   * @param installation the installation's id
   * @param name of an object, which may be anybody's
   * @return empty if that is no such name
   */
  public static Optional<SandboxIdentity> ofName(String installation, String name) {
    String[] parts = name.split("-", -1);
    try {
      return parts.length == 3
          ? Optional.of(
              new SandboxIdentity(
                  installation, parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2])))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * The id as JSON, paths and claims use it.
   *
   * @return {@code sb_<sandbox>}
   */
  public String publicId() {
    return "sb_" + sandbox;
  }
}
