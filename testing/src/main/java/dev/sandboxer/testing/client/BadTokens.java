package dev.sandboxer.testing.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** What every door answers to bad tokens. */
public final class BadTokens {

  private BadTokens() {}

  /** Checks that all get the same answer and that a good one right after each is taken. */
  public static void check(Api api, String url, TokenForge forge, Map<String, String> bad) {
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

  /** Without the request's own id. */
  private static String body(Api.Reply reply) {
    ObjectNode body = (ObjectNode) reply.json();
    ((ObjectNode) body.path("error")).remove("request_id");
    return body.toString();
  }
}
