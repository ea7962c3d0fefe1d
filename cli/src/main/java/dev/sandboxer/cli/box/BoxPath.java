package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import java.util.regex.Pattern;

/** Where boxes are in the API. An id becomes part of a path, so it is checked here. */
final class BoxPath {
  static final String ALL = "/v1/boxes";

  private static final Pattern ID = Pattern.compile("box_[a-z0-9]{1,64}");

  private BoxPath() {}

  /** The path of the box whose id a person gave. */
  static String of(String id) {
    if (!ID.matcher(id).matches()) {
      throw Failure.usage(
          "\"" + id + "\" is no box's id: they look like box_k3q...; see sandboxer box ls");
    }
    return ALL + "/" + id;
  }

  /** The id in a box's record. */
  static String id(JsonNode box) {
    String id = box.path("id").asText();
    if (!ID.matcher(id).matches()) {
      throw Failure.sandboxer(
          "the platform answered a box without an id: is it a Sandboxer platform?");
    }
    return id;
  }
}
