package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import java.util.regex.Pattern;

/** Where volumes are in the API. A name becomes part of a path, so it is checked here. */
final class VolumePath {
  static final String ALL = "/v1/volumes";

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

  private VolumePath() {}

  /** The path of the volume whose name a person gave. */
  static String of(String name) {
    if (!NAME.matcher(name).matches()) {
      throw Failure.usage(
          "\""
              + name
              + "\" is no volume's name: 1 to 63 of a-z, 0-9 and '-', a letter or digit first");
    }
    return ALL + "/" + name;
  }

  /** The name in a volume's record. */
  static String name(JsonNode volume) {
    String name = volume.path("name").asText();
    if (!NAME.matcher(name).matches()) {
      throw Failure.sandboxer(
          "the platform answered a volume without a name: is it a Sandboxer platform?");
    }
    return name;
  }
}
