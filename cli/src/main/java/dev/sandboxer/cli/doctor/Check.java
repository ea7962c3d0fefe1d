package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One thing that was looked at.
 *
 * @param detail what was found, or why it is bad
 * @param remedy one command or sentence that mends it; empty when there is nothing to mend
 */
record Check(String name, boolean ok, String detail, String remedy) {
  static Check good(String name, String detail) {
    return new Check(name, true, detail, "");
  }

  static Check bad(String name, String detail, String remedy) {
    return new Check(name, false, detail, remedy);
  }

  static Check of(JsonNode json) {
    return new Check(
        json.path("name").asText(),
        json.path("ok").asBoolean(),
        json.path("detail").asText(""),
        json.path("remedy").asText(""));
  }

  void describe(ObjectNode document) {
    document.put("name", name).put("ok", ok).put("detail", detail).put("remedy", remedy);
  }
}
