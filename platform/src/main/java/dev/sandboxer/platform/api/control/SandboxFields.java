package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.api.Body;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The fields of a sandbox that requests for sandboxes, boxes and pipelines have in common. A field
 * that is wrong is a VALIDATION problem with its name.
 */
public final class SandboxFields {

  /** The longest time to live that a request can name, in seconds. */
  public static final long MAX_SECONDS = 366L * 24 * 3600;

  private static final Pattern PROFILE =
      Pattern.compile("(profile\\.)?[a-z0-9][a-z0-9-]{0,62}(@[1-9][0-9]{0,8})?");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  private static final Pattern INPUT = Pattern.compile("[A-Za-z0-9_.-]{1,63}");
  private static final int MAX_ENTRIES = 64;
  private static final int MAX_LABEL = 256;
  private static final int MAX_VALUE = 32 * 1024;

  private SandboxFields() {}

  /**
   * The field {@code profile}, which must be there.
   *
   * @param body of a request
   * @return {@code <name>} or {@code profile.<name>}, optionally {@code @version}
   */
  public static String profile(Body body) {
    return body.text("profile", PROFILE, "a profile's name, optionally with @version");
  }

  /**
   * The field {@code inputs}. The types are the profile's business.
   *
   * @param body of a request
   * @return as texts, by name
   */
  public static Map<String, String> inputs(Body body) {
    return new LinkedHashMap<>(
        body.scalars("inputs", INPUT, "an input's name", MAX_ENTRIES, MAX_VALUE));
  }

  /**
   * The field {@code env}.
   *
   * @param body of a request
   * @return by name
   */
  public static Map<String, String> env(Body body) {
    return body.texts("env", VARIABLE, "a variable's name", MAX_ENTRIES, MAX_VALUE);
  }

  /**
   * The field {@code labels}.
   *
   * @param body of a request
   * @return by name
   */
  public static Map<String, String> labels(Body body) {
    return body.texts("labels", LABEL, "1 to 63 of A-Za-z0-9._/-", MAX_ENTRIES, MAX_LABEL);
  }
}
