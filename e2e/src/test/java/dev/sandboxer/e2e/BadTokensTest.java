package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Bad tokens, each with one thing wrong, get one answer; a good one right after each is taken. */
class BadTokensTest {

  @Test
  void everyBadTokenGetsTheSameAnswerAndAGoodOneRightAfterIsTaken() throws Exception {
    try (Database database = Database.start();
        Platform platform = Platform.start(database.settings())) {
      Door door = new Door(platform.api());
      JsonNode session = door.ensure(Door.thread());
      TokenForge forge = new TokenForge(database, platform.home(), session.path("token").asText());
      String health = door.inside(session).url() + "/health";
      refused(door.inside(session).api(), health, forge, forge.bad());
    }
  }

  /** boxd takes the second form of a signature and every scope that its platform signs. */
  @Test
  void boxdItselfRefusesThemAsWell() {
    try (BareBoxd boxd = BareBoxd.start()) {
      Api.Dataplane inside = boxd.dataplane();
      TokenForge forge = boxd.forge();
      Map<String, String> bad = forge.bad();
      bad.keySet().removeAll(Set.of("s turned over", "admin", "unknown capability"));
      refused(inside.api(), inside.url() + "/metrics", forge, bad);
    }
  }

  private static void refused(Api api, String url, TokenForge forge, Map<String, String> bad) {
    assertThat(bad).hasSizeGreaterThan(60);
    assertThat(api.withKey(forge.good()).get(url).status()).as("the control").isEqualTo(200);
    String answer = "";
    for (Map.Entry<String, String> token : bad.entrySet()) {
      Api.Reply reply = api.withKey(token.getValue()).get(url);
      assertThat(reply.status()).as(token.getKey()).isEqualTo(401);
      String body = body(reply);
      answer = answer.isEmpty() ? body : answer;
      assertThat(body).as(token.getKey()).isEqualTo(answer);
      assertThat(api.withKey(forge.good()).get(url).status())
          .as("after " + token.getKey())
          .isEqualTo(200);
    }
  }

  /** What a sandbox could capture is worth nothing anywhere else. */
  @Test
  void aTokenIsWorthNothingElsewhere() {
    try (Platform platform = Platform.start(Map.of())) {
      Door door = new Door(platform.api());
      JsonNode one = door.ensure(Door.thread());
      JsonNode two = door.ensure(Door.thread());
      String token = one.path("token").asText();
      Door stolen = new Door(platform.api().withKey(token));
      assertThat(status(door, two, token)).as("another sandbox").isEqualTo(401);
      String id = one.path("session_id").asText();
      for (String verb : new String[] {"refresh", "refresh-token", "heartbeat"}) {
        assertThat(stolen.on(id, verb).status()).as(verb).isEqualTo(401);
      }
      assertThat(stolen.look(id).status()).isEqualTo(401);
      assertThat(stolen.release(id).status()).isEqualTo(401);
      assertThat(stolen.statusOfEnsure()).isEqualTo(401);
      assertThat(stolen.api().post("/sandbox/refresh", "{}").status()).isEqualTo(401);
      assertThat(stolen.api().get("/v1/sandboxes").status()).isEqualTo(401);
      String control = door.inside(one).url().replaceFirst("/v1$", "/v1/control/shutdown");
      assertThat(stolen.api().post(control, "{}").status()).as("boxd's control").isEqualTo(404);
      assertThat(
              door.inside(one)
                  .exec("sh", "-c", "env; cat /proc/*/environ 2>/dev/null; true")
                  .text())
          .as("boxd shows no credential")
          .doesNotContain(token)
          .doesNotContain("eyJ");
    }
  }

  private static int status(Door door, JsonNode session, String token) {
    return exec(door, session, token).status();
  }

  private static Api.Reply exec(Door door, JsonNode session, String token) {
    return door.inside(session, token).api().get(door.inside(session).url() + "/health");
  }

  /** Without the request's own id. */
  private static String body(Api.Reply reply) {
    ObjectNode body = (ObjectNode) reply.json();
    ((ObjectNode) body.path("error")).remove("request_id");
    return body.toString();
  }
}
