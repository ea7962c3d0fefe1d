package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code ?include=access}: one call makes a sandbox and hands out its token. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IncludeAccessTest {

  private static final String CREATE = "/v1/sandboxes?include=access";

  private final Api api = InProcess.api();

  private Api.Dataplane grant(Api.Reply reply) {
    return new Api.Dataplane(
        api.withKey(reply.field("/access/token")), reply.field("/access/http_base_url"));
  }

  @Test
  void theReplyToACreateHoldsATokenThatWorks() {
    Api.Reply made = api.post(CREATE, Api.create("local"), "Prefer", "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(grant(made).exec("echo", "hi").field("/stdout")).isEqualTo("hi\n");
    Api.Reply later = api.get("/v1/sandboxes/" + made.field("/id") + "?include=access");
    assertThat(grant(later).exec("echo", "ho").field("/stdout")).isEqualTo("ho\n");
    assertThat(api.get("/v1/sandboxes/" + made.field("/id")).json().has("access")).isFalse();
  }

  @Test
  void aReplayMintsAFreshToken() {
    String[] headers = {"Prefer", "wait=60", "Idempotency-Key", "with-access"};
    Api.Reply first = api.post(CREATE, Api.create("local"), headers);
    Api.Reply again = api.post(CREATE, Api.create("local"), headers);
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    assertThat(again.field("/access/token"))
        .isNotEmpty()
        .isNotEqualTo(first.field("/access/token"));
    assertThat(grant(again).exec("echo", "hi").field("/stdout")).isEqualTo("hi\n");
    Api.Reply without = api.post("/v1/sandboxes", Api.create("local"), headers);
    assertThat(without.json().has("access")).as("only where it is asked for").isFalse();
  }

  @Test
  void whatCannotBeReachedHasNone() {
    Api.Reply made = api.post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60");
    String path = "/v1/sandboxes/" + made.field("/id");
    assertThat(api.delete(path, "Prefer", "wait=60").status()).isEqualTo(200);
    Api.Reply gone = api.get(path + "?include=access");
    assertThat(gone.status()).isEqualTo(200);
    assertThat(gone.json().has("access")).isFalse();
  }

  @Test
  void nothingElseCanBeIncluded() {
    Api.Reply refused = api.post("/v1/sandboxes?include=secrets", Api.create("local"));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field("/detail")).contains("'include' is 'secrets'");
  }
}
