package dev.sandboxer.ext.e2b.cloud;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * How a sandbox is reached.
 *
 * @param id E2B's own
 * @param domain below which its ports have names, empty if the reply does not say
 * @param envdToken of envd, empty if it needs none; secret
 * @param trafficToken of every other port, empty if they need none; secret
 */
public record Access(String id, String domain, String envdToken, String trafficToken) {

  static Access of(JsonNode node) {
    return new Access(
        node.path("sandboxID").asText(),
        node.path("domain").asText(""),
        node.path("envdAccessToken").asText(""),
        node.path("trafficAccessToken").asText(""));
  }

  /** Without the tokens. */
  @Override
  public String toString() {
    return "Access[id=" + id + ", domain=" + domain + "]";
  }
}
