package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two tenants: what each sees of the other, and what an administrator may with both. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsTest {

  private static final String SANDBOXES = "/v1/sandboxes";

  private final Door admin = new Door(InProcess.api());
  private Api other;
  private String ours = "";
  private String theirs = "";

  @BeforeAll
  void makeTenant() {
    other = admin.ofNewTenant("others").api();
  }

  @BeforeEach
  void oneSandboxEach() {
    admin.api().destroyAllOfAllTenants();
    ours = admin.api().ready().path("id").asText();
    theirs = other.ready().path("id").asText();
  }

  private static Set<String> listed(Api api, String query) {
    Api.Reply reply = api.get(SANDBOXES + "?live=true" + query);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    Set<String> ids = new TreeSet<>();
    reply.json().path("items").forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  private String state(String id) {
    return admin.api().get(SANDBOXES + "/" + id).field("/state");
  }

  @ParameterizedTest
  @ValueSource(strings = {"consumer", "delegate", "operator"})
  void forEveryOtherRoleAnotherTenantsSandboxIsNotThere(String role) {
    Api api = admin.withNewKey(role, "").api();
    String path = SANDBOXES + "/" + theirs;
    for (String look : new String[] {"", "?include=access", "/access", "/events"}) {
      assertThat(api.get(path + look).status()).as(look).isEqualTo(404);
    }
    assertThat(api.delete(path).status()).isEqualTo(404);
    assertThat(api.post(path + "/activate", "{}").status()).isEqualTo(404);
    assertThat(listed(api, "")).contains(ours).doesNotContain(theirs);
    for (String tenant : new String[] {"*", "others", "default", "nobody"}) {
      Api.Reply refused = api.get(SANDBOXES + "?tenant=" + tenant);
      assertThat(refused.status()).as(tenant).isEqualTo(403);
      assertThat(refused.field("/detail")).contains("needs a key with role admin");
    }
    assertThat(state(theirs)).isEqualTo("ready");
  }

  @Test
  void anAdministratorListsAllTenantsOrOne() {
    Api api = admin.api();
    assertThat(listed(api, "")).containsExactly(ours);
    assertThat(listed(api, "&tenant=*")).containsExactlyInAnyOrder(ours, theirs);
    assertThat(listed(api, "&tenant=others")).containsExactly(theirs);
    assertThat(listed(api, "&tenant=*&project=none")).isEmpty();
    assertThat(api.get(SANDBOXES + "/" + ours).field("/tenant_id"))
        .startsWith("ten_")
        .isNotEqualTo(api.get(SANDBOXES + "/" + theirs).field("/tenant_id"));
    for (String wrong : new String[] {"", "nobody", "**", "others%27--"}) {
      Api.Reply reply = api.get(SANDBOXES + "?tenant=" + wrong);
      assertThat(reply.status()).as(wrong).isEqualTo(400);
      assertThat(reply.field("/detail")).contains("there is no tenant");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tenant=%00", "project=%00", "label=a:%00", "state=%00", "cursor=%00"})
  void aNulIsNoValue(String query) {
    isRefused(SANDBOXES + "?" + query);
  }

  @Test
  void norIsItAName() {
    isRefused("/v1/sandbox/sessions/%00");
  }

  private void isRefused(String path) {
    Api.Reply reply = admin.api().get(path);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.field("/detail")).contains("NUL");
  }

  @Test
  void theListOfAllTenantsIsReadInPages() {
    Set<String> read = new TreeSet<>();
    String cursor = "";
    do {
      Api.Reply page = admin.api().get(SANDBOXES + "?live=true&tenant=*&limit=1" + cursor);
      assertThat(page.json().path("items")).hasSize(1);
      read.add(page.field("/items/0/id"));
      JsonNode next = page.json().path("next_cursor");
      cursor = next.isNull() ? "" : "&cursor=" + next.asText();
    } while (!cursor.isEmpty());
    assertThat(read).containsExactlyInAnyOrder(ours, theirs);
  }

  @Test
  void anAdministratorLooksAndEndsButGetsNoTokenAndChangesNothing() {
    Api api = admin.api();
    String path = SANDBOXES + "/" + theirs;
    assertThat(api.get(path).status()).isEqualTo(200);
    for (String look : new String[] {"?include=access", "/access", "/events"}) {
      assertThat(api.get(path + look).status()).as(look).isEqualTo(404);
    }
    assertThat(api.post(path + "/recreate", "{}", "If-Match", "1").status()).isEqualTo(404);
    assertThat(api.post(path + "/extend-ttl", "{\"ttl_seconds\": 600}").status()).isEqualTo(404);
    assertThat(api.post(path + "/activate", "{}").status()).isEqualTo(404);
    assertThat(state(theirs)).isEqualTo("ready");
    assertThat(api.delete(path, "Prefer", "wait=30").status()).isEqualTo(200);
    assertThat(state(theirs)).isEqualTo("destroyed");
    assertThat(other.get(path).field("/end_reason")).isEqualTo("requested");
    assertThat(state(ours)).isEqualTo("ready");
  }

  @Test
  void anAdministratorWhoIsNarrowedToScopesReachesNoOtherTenant() {
    Api narrow = admin.withNewKey("admin", ", \"scopes\": [\"thread:mine\"]").api();
    assertThat(listed(narrow, "&tenant=*")).isEmpty();
    assertThat(narrow.get(SANDBOXES + "/" + theirs).status()).isEqualTo(404);
    assertThat(narrow.delete(SANDBOXES + "/" + theirs).status()).isEqualTo(404);
    assertThat(state(theirs)).isEqualTo("ready");
  }

  @Test
  void whatAnAdministratorDoesToOtherTenantsIsInTheAudit() {
    Api api = admin.api();
    api.get(SANDBOXES + "?tenant=*", "X-Request-Id", "tenants-list");
    api.delete(SANDBOXES + "/" + theirs, "X-Request-Id", "tenants-end");
    api.delete(SANDBOXES + "/" + ours, "X-Request-Id", "tenants-own");
    api.get(SANDBOXES + "?tenant=nobody", "X-Request-Id", "tenants-last");
    assertThat(entry("tenants-last").path("result").asText()).isEqualTo("VALIDATION");
    assertThat(entry("tenants-list").path("action").asText()).isEqualTo("sandbox.list");
    JsonNode ended = entry("tenants-end");
    assertThat(ended.path("action").asText()).isEqualTo("sandbox.delete");
    assertThat(ended.path("sandbox_id").asText()).isEqualTo(theirs);
    assertThat(ended.path("caller").asText()).startsWith("key_");
    assertThat(api.get("/v1/audit?request_id=tenants-own").json().path("items")).isEmpty();
  }

  private JsonNode entry(String request) {
    String path = "/v1/audit?request_id=" + request;
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !admin.api().get(path).json().path("items").isEmpty());
    return admin.api().get(path).json().at("/items/0");
  }

  @Test
  void everyKeyCanBeLookedAtByItsOwner() {
    Api consumer = admin.withNewKey("consumer", ", \"user\": \"usr_me\"").api();
    Api.Reply self = consumer.get("/v1/keys/self");
    assertThat(self.status()).as(self.text()).isEqualTo(200);
    assertThat(self.field("/role")).isEqualTo("consumer");
    assertThat(self.field("/user")).isEqualTo("usr_me");
    assertThat(self.json().has("key")).as("its text is never shown again").isFalse();
  }

  @Test
  void theLastAdministratorsKeyStays() {
    String own = admin.api().get("/v1/keys/self").field("/id");
    for (JsonNode key : admin.api().get("/v1/keys").json().path("items")) {
      boolean other = !key.path("id").asText().equals(own);
      if (other && key.path("role").asText().equals("admin") && !key.hasNonNull("ended_at")) {
        assertThat(admin.api().delete("/v1/keys/" + key.path("id").asText()).status())
            .isEqualTo(200);
      }
    }
    Api.Reply refused = admin.api().delete("/v1/keys/" + own);
    assertThat(refused.status()).as(refused.text()).isEqualTo(409);
    assertThat(refused.field("/detail")).contains("the last key with role admin");
    assertThat(admin.api().get("/v1/keys/self").status()).isEqualTo(200);
  }
}
