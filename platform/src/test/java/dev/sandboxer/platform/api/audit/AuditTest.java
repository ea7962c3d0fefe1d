package dev.sandboxer.platform.api.audit;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The audit: what was done, what was refused, in three forms, and only ever more of it. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuditTest {

  @Inject Jdbi jdbi;
  private final Door door = new Door(InProcess.api());

  private List<JsonNode> entries(String query) {
    List<JsonNode> entries = new ArrayList<>();
    Api.Reply reply = door.api().get("/v1/audit?" + query);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    reply.json().path("items").forEach(entries::add);
    return entries;
  }

  private JsonNode awaitEntry(String query) {
    await().atMost(Duration.ofSeconds(60)).until(() -> !entries(query).isEmpty());
    return entries(query).getFirst();
  }

  @Test
  void whatWasDoneIsThereWithAllItsColumns() {
    String thread = Door.thread();
    Api.Reply made = door.send("ensure", thread, "X-Request-Id", "audit-1");
    JsonNode entry = awaitEntry("request_id=audit-1");
    assertThat(entry.path("action").asText()).isEqualTo("session.ensure");
    assertThat(entry.path("result").asText()).isEqualTo("ok");
    assertThat(entry.path("caller").asText()).startsWith("key_");
    assertThat(entry.path("user").asText()).isEqualTo(entry.path("caller").asText());
    assertThat(entry.path("tenant_id").asText()).startsWith("ten_");
    assertThat(entry.path("scope_type").asText()).isEqualTo("thread");
    assertThat(entry.path("scope_id").asText()).isEqualTo(thread);
    assertThat(entry.path("session_id").asText()).isEqualTo(made.field("/session_id"));
    assertThat(entry.path("sandbox_id").asText()).isEqualTo(made.field("/sandbox/id"));
    assertThat(entry.path("address").asText()).isEqualTo("127.0.0.1");
    assertThat(entry.path("at").asText()).endsWith("Z");
    assertThat(entry.toString()).doesNotContain(made.field("/token"));
  }

  @Test
  void refusalsAreThereToo() {
    assertThat(door.send("get", "missing", "X-Request-Id", "audit-404").status()).isEqualTo(404);
    assertThat(awaitEntry("request_id=audit-404").path("result").asText())
        .isEqualTo("SESSION_NOT_FOUND");
    door.api().withKey("sbxk_bad").get("/v1/sandboxes", "X-Request-Id", "audit-401");
    JsonNode unknown = awaitEntry("request_id=audit-401");
    assertThat(unknown.path("result").asText()).isEqualTo("UNAUTHENTICATED");
    assertThat(unknown.path("caller").isNull()).isTrue();
    Door consumer = door.withNewKey("consumer", "");
    consumer.api().get("/v1/audit", "X-Request-Id", "audit-403");
    assertThat(awaitEntry("request_id=audit-403").path("result").asText()).isEqualTo("FORBIDDEN");
  }

  @Test
  void whatNoDatabaseTakesIsThereAsEscapesAndHoldsUpNothing() {
    door.api().withKey("").get("/v1/sandboxes/%00%0A", "X-Request-Id", "audit-nul");
    door.api().get(Door.PATH + "/%00", "X-Request-Id", "audit-nul-session");
    // Random, so that it cannot be packed: an index takes no such text.
    String large =
        new Random(1).ints(3500, 'a', 'z' + 1).mapToObj(Character::toString).collect(joining());
    door.api().get(Door.PATH + "/" + large, "X-Request-Id", "audit-large");
    assertThat(awaitEntry("request_id=audit-nul").path("action").asText())
        .isEqualTo("GET /v1/sandboxes/\\u0000\\u000a");
    assertThat(awaitEntry("request_id=audit-nul-session").path("session_id").asText())
        .isEqualTo("\\u0000");
    assertThat(large).startsWith(awaitEntry("request_id=audit-large").path("session_id").asText());
    assertThat(entries("session_id=%00")).hasSize(1);
    assertThat(door.send("get", "after-the-nul").status()).isEqualTo(404);
    awaitEntry("scope_id=after-the-nul");
  }

  @Test
  void whatTheRelayRefusesIsThereOnceHoweverOftenItIsTried() {
    Door narrow = door.withNewKey("consumer", ", \"capabilities\": [\"fs_read\"]");
    JsonNode session = narrow.ensure(Door.thread());
    String sandbox = session.at("/sandbox/id").asText();
    Api.Dataplane bad = narrow.inside(session, session.path("token").asText() + "x");
    for (int i = 0; i < 20; i++) {
      assertThat(narrow.inside(session).exec("true").status()).isEqualTo(403);
      assertThat(bad.exec("true").status()).isEqualTo(401);
    }
    String refused = "action=dataplane.exec&sandbox_id=" + sandbox;
    JsonNode denied = awaitEntry(refused + "&result=CAPABILITY_DENIED");
    assertThat(denied.path("sandbox_id").asText()).isEqualTo(sandbox);
    assertThat(denied.path("session_id")).isEqualTo(session.path("session_id"));
    assertThat(denied.path("caller").asText()).startsWith("key_");
    assertThat(denied.path("tenant_id").asText()).startsWith("ten_");
    assertThat(denied.path("address").asText()).isEqualTo("127.0.0.1");
    JsonNode unknown = awaitEntry(refused + "&result=UNAUTHENTICATED");
    assertThat(unknown.path("caller").isNull()).isTrue();
    assertThat(unknown.path("sandbox_id").asText()).isEqualTo(sandbox);
    assertThat(unknown.path("tenant_id")).isEqualTo(denied.path("tenant_id"));
    door.send("get", "after-the-refusals");
    awaitEntry("scope_id=after-the-refusals");
    assertThat(entries(refused)).hasSize(2);
  }

  @Test
  void aTokenByAccessIsThereToo() {
    String sandbox = door.ensure(Door.thread()).at("/sandbox/id").asText();
    String path = "/v1/sandboxes/" + sandbox;
    door.api().get(path, "X-Request-Id", "audit-look");
    door.api().get(path + "/access", "X-Request-Id", "audit-access");
    door.api().get(path + "?include=access", "X-Request-Id", "audit-include");
    for (String request : new String[] {"audit-access", "audit-include"}) {
      JsonNode entry = awaitEntry("request_id=" + request);
      assertThat(entry.path("action").asText()).isEqualTo("sandbox.access");
      assertThat(entry.path("sandbox_id").asText()).isEqualTo(sandbox);
    }
    assertThat(entries("request_id=audit-look")).isEmpty();
  }

  @Test
  void itIsReadInPagesAsCsvAndAsLines() {
    for (int i = 0; i < 3; i++) {
      assertThat(door.send("get", "=1+cmd" + i).status()).isEqualTo(404);
    }
    awaitEntry("scope_id=%3D1%2Bcmd2");
    Api.Reply first = door.api().get("/v1/audit?result=SESSION_NOT_FOUND&limit=2");
    assertThat(first.json().path("items")).hasSize(2);
    Api.Reply rest =
        door.api()
            .get(
                "/v1/audit?result=SESSION_NOT_FOUND&limit=2&cursor=" + first.field("/next_cursor"));
    assertThat(rest.json().at("/items/0/request_id"))
        .isNotEqualTo(first.json().at("/items/1/request_id"));

    Api.Reply csv = door.api().get("/v1/audit?scope_id=%3D1%2Bcmd2", "Accept", "text/csv");
    assertThat(csv.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
    String[] lines = csv.text().split("\r\n", -1);
    assertThat(lines[0]).startsWith("at,request_id,caller,user");
    assertThat(lines[1]).contains(",\"'=1+cmd2\",");
    Api.Reply ndjson = door.api().get("/v1/audit?limit=2", "Accept", "application/x-ndjson");
    assertThat(ndjson.text().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"at\""));
    assertThat(ndjson.headers().firstValue("Next-Cursor")).isPresent();
    for (String bad : new String[] {"limit=0", "colour=red", "from=yesterday", "cursor=x"}) {
      assertThat(door.api().get("/v1/audit?" + bad).status()).as(bad).isEqualTo(400);
    }
  }

  @Test
  void anOperatorSeesItsOwnTenantAlone() {
    Door other = door.ofNewTenant("audited");
    assertThat(other.send("get", "theirs").status()).isEqualTo(404);
    awaitEntry("scope_id=theirs");
    Door operator = door.withNewKey("operator", "");
    assertThat(operator.api().get("/v1/audit?scope_id=theirs").json().path("items")).isEmpty();
    assertThat(operator.api().get("/v1/audit?limit=5").json().path("items")).isNotEmpty();
  }

  @Test
  void itOnlyGrowsUntilItsRetentionIsOver() {
    awaitEntry("limit=1");
    assertThatThrownBy(
            () -> jdbi.useHandle(handle -> handle.execute("update audit set result = 'ok'")))
        .hasRootCauseMessage(
            "ERROR: the audit only grows\n  Where: PL/pgSQL function keep_audit() line 6 at RAISE");
    assertThatThrownBy(() -> jdbi.useHandle(handle -> handle.execute("delete from audit")))
        .rootCause()
        .hasMessageContaining("only grows");
    assertThatThrownBy(() -> jdbi.useHandle(handle -> handle.execute("truncate audit")))
        .rootCause()
        .hasMessageContaining("only grows");
  }
}
