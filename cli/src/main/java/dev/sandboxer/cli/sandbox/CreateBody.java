package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The body of a create. */
final class CreateBody {
  private CreateBody() {}

  static ObjectNode of(ObjectMapper json, String profile, String project) {
    ObjectNode body = json.createObjectNode().put("profile", profile);
    body.putObject("consumer").put("actor", "adm").put("project", project);
    return body;
  }
}
