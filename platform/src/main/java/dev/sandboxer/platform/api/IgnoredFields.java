package dev.sandboxer.platform.api;

import java.util.ArrayList;
import java.util.List;

/**
 * What of a request to a session door was not known and therefore ignored: these protocols grow by
 * additions, so an older server must not refuse what a newer client sends.
 */
public final class IgnoredFields {

  private static final int MOST_NAMES = 16;
  private static final int LONGEST_NAME = 64;

  private final List<String> fields = new ArrayList<>();
  private final List<String> capabilities = new ArrayList<>();

  /**
   * Notes the fields that are not known.
   *
   * @param body of a request, or a part of it
   * @param known names of all fields that are read
   * @return the same body
   */
  public Body of(Body body, String... known) {
    fields.addAll(body.unknown(known));
    return body;
  }

  /**
   * Notes a capability that is not known.
   *
   * @param name as it was requested
   */
  public void capability(String name) {
    capabilities.add(name);
  }

  /**
   * What a reply says of it.
   *
   * @return a sentence for the fields and one for the capabilities, where there were any
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (!fields.isEmpty()) {
      warnings.add("unknown fields were ignored: " + names(fields));
    }
    if (!capabilities.isEmpty()) {
      warnings.add("unknown capabilities were left out: " + names(capabilities));
    }
    return List.copyOf(warnings);
  }

  private static String names(List<String> names) {
    List<String> shown = names.stream().limit(MOST_NAMES).map(IgnoredFields::shortened).toList();
    String more =
        names.size() > MOST_NAMES ? " and %d more".formatted(names.size() - MOST_NAMES) : "";
    return String.join(", ", shown) + more;
  }

  private static String shortened(String name) {
    return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "..." : name;
  }
}
