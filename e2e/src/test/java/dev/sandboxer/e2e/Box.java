package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sandboxer.testing.client.Api;
import java.util.LinkedHashMap;
import java.util.Map;

/** A box as a chat platform has it: asked for by template and variables, used by its id. */
record Box(Api api, String id, String sandbox, String outcome) {

  /** Asks for the box of a scope, and waits until it is ready. */
  static Box ensure(Api api, String profile, String template, Map<String, String> variables) {
    return ensure(api, profile, template, variables, Map.of());
  }

  /** As above with further fields of the request. */
  static Box ensure(
      Api api,
      String profile,
      String template,
      Map<String, String> variables,
      Map<String, Object> more) {
    Map<String, Object> body = new LinkedHashMap<>(more);
    body.put("template", template);
    body.put("variables", variables);
    body.put("profile", profile);
    Api.Reply reply = api.post("/v1/boxes", json(body), "Prefer", "wait=120");
    while (reply.code().equals("DATABASE_UNAVAILABLE")) { // too busy; clients ask again
      reply = api.post("/v1/boxes", json(body), "Prefer", "wait=120");
    }
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
    return new Box(api, reply.field("/id"), reply.field("/sandbox_id"), reply.field("/outcome"));
  }

  /** Runs a line of the shell, whatever its exit code is. */
  Api.Reply exec(String line) {
    Api.Reply reply =
        api.post("/v1/boxes/" + id + "/exec", json(Map.of("command", line)), "Prefer", "wait=120");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply;
  }

  /** What a line of the shell writes. */
  String out(String line) {
    return exec(line).field("/stdout");
  }

  /** The state of its present sandbox. */
  String state() {
    return api.get("/v1/boxes/" + id).field("/state");
  }

  void delete() {
    assertThat(api.delete("/v1/boxes/" + id).status()).isIn(204, 404);
  }

  private static String json(Map<String, Object> body) {
    try {
      return Api.JSON.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
