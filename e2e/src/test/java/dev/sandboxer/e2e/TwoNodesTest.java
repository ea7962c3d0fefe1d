package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.dataplane.websocket.UpgradeRefused;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.StateHub;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two platform processes on one database, each with its own home and a copy of the master key. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TwoNodesTest {

  private StateHub hub;
  private TwoNodes nodes;
  private Database database;
  private Platform first;
  private Platform second;

  @BeforeAll
  void start() {
    hub = StateHub.start();
    nodes =
        new TwoNodes(
            node ->
                Map.of(
                    "SANDBOXER_STATE_HUB_URL",
                    hub.url().toString(),
                    "SANDBOXER_STATE_HUB_TOKEN",
                    "hub-" + node));
    database = nodes.database();
    first = nodes.first();
    second = nodes.second();
  }

  @AfterAll
  void stop() {
    nodes.close();
    hub.close();
  }

  private Door one() {
    return new Door(first.api());
  }

  private Door two() {
    return new Door(second.api());
  }

  @Test
  void anEmptyHomeTakesTheDatabasesInstallation() throws IOException {
    assertThat(Files.readString(second.home().resolve("installation")))
        .isEqualTo(Files.readString(first.home().resolve("installation")));
  }

  @Test
  void sixtyFourAtOnceThroughBothGetOneSession() {
    String thread = Door.thread();
    List<CompletableFuture<JsonNode>> calls = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      Door door = i % 2 == 0 ? one() : two();
      calls.add(CompletableFuture.supplyAsync(() -> door.ensure(thread)));
    }
    Set<String> sessions = new TreeSet<>();
    Set<String> sandboxes = new TreeSet<>();
    calls.forEach(
        call -> {
          sessions.add(call.join().path("session_id").asText());
          sandboxes.add(call.join().at("/sandbox/id").asText());
        });
    assertThat(sessions).hasSize(1);
    assertThat(sandboxes).hasSize(1);
    assertThat(
            database.sql(
                "select count(*) from sandbox where session_id = '%s'"
                    .formatted(sessions.iterator().next())))
        .isEqualTo("1");
  }

  /** The way out is kept by the node whose machine has the sandbox. */
  @Test
  void eachNodeKnowsWhichHostsWereCalled() {
    nodes.profile("calls", TwoNodes.SECOND_FIRST + "\nnetwork: {mode: allow}");
    String sandbox = first.api().ready("calls").path("id").asText();
    String call =
        "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT a.example:443 HTTP/1.1\\r\\n\\r\\n' >&3;"
            + " head -n 1 <&3";
    assertThat(first.api().access(sandbox).exec("bash", "-c", call).field("/stdout"))
        .contains(" 403 ");

    for (Platform node : List.of(first, second)) {
      JsonNode network = node.api().get("/v1/sandboxes/" + sandbox + "/network").json();
      assertThat(network.at("/hosts/0/host").asText())
          .as(network.toString())
          .isEqualTo("a.example");
      assertThat(network.at("/hosts/0/denied").asInt()).isEqualTo(1);
    }
  }

  @Test
  void aRevocationThroughOneCountsOnTheOther() throws Exception {
    JsonNode session = one().ensure(Door.thread());
    String id = session.path("session_id").asText();
    Api.Dataplane inside = one().inside(session);
    try (RevocationTest.Socket socket =
        RevocationTest.Socket.open(inside, session.path("token").asText())) {
      Api.Reply revoked =
          two().api().post("/v1/revocations", "{\"session_id\": \"%s\"}".formatted(id));
      assertThat(revoked.status()).as(revoked.text()).isEqualTo(201);
      socket.closed().get(60, java.util.concurrent.TimeUnit.SECONDS);
      await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 401);
    }
  }

  @Test
  void aKeyEndedThroughOneEndsItsTokensSocketsAndTicketsOnTheOther() throws Exception {
    Api.Reply made = one().makeKey("consumer", "");
    Door ended = new Door(first.api().withKey(made.field("/key")));
    JsonNode session = ended.ensure(Door.thread());
    String token = session.path("token").asText();
    Api.Dataplane inside = ended.inside(session);
    String others = one().on(session.path("session_id").asText(), "refresh").field("/token");
    String ticket = inside.post("/tickets", "{\"route\": \"/exec/ws\"}").field("/ticket");
    String spare = inside.post("/tickets", "{\"route\": \"/exec/ws\"}").field("/ticket");
    RevocationTest.Socket.withTicket(inside, spare).close();
    try (RevocationTest.Socket socket = RevocationTest.Socket.open(inside, token)) {
      assertThat(two().api().delete("/v1/keys/" + made.field("/id")).status()).isEqualTo(200);
      socket.closed().get(60, java.util.concurrent.TimeUnit.SECONDS);
      await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 401);
    }
    assertThatThrownBy(() -> RevocationTest.Socket.withTicket(inside, ticket))
        .as("a ticket got before")
        .cause()
        .isInstanceOfSatisfying(
            UpgradeRefused.class, refused -> assertThat(refused.status()).isEqualTo(401));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> ended.on(session.path("session_id").asText(), "refresh").status() == 401);
    assertThat(one().inside(session, others).exec("true").status())
        .as("tokens of other keys go on")
        .isEqualTo(200);
  }

  @Test
  void anEndThroughOneReachesTheOther() {
    JsonNode session = one().ensure(Door.thread());
    Api.Dataplane inside = one().inside(session);
    assertThat(inside.exec("true").status()).isEqualTo(200);
    assertThat(two().ensure(session.path("thread_id").asText()).path("session_id"))
        .isEqualTo(session.path("session_id"));
    assertThat(two().release(session.path("session_id").asText()).status()).isEqualTo(204);
    await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 401);
    String sandbox = session.at("/sandbox/id").asText();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> one().sandboxState(sandbox).equals("destroyed"));
    assertThat(Host.jailsOf(sandbox)).isEmpty();
  }

  /** Each call takes half a second, so that a second one of the same event would meet the first. */
  @Test
  void anEventIsDeliveredByOneOfThem() {
    hub.fault("slow");
    Map<String, List<JsonNode>> told = new HashMap<>();
    Set<String> tellers = new TreeSet<>();
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              List.of(live(first.api()), live(second.api())).forEach(id -> told.put(id, List.of()));
              told.replaceAll((id, _) -> whole(id));
              told.values()
                  .forEach(all -> all.forEach(e -> tellers.add(e.path("authorization").asText())));
              return tellers.size() == 2;
            });
    hub.fault("ok");
    told.forEach(
        (id, entries) ->
            assertThat(hub.of(id))
                .as(entries.toString())
                .extracting(entry -> entry.at("/progress/detail/type").asText())
                .isEqualTo(EventTypes.LIFE));
  }

  private static String live(Api api) {
    String id = api.ready("local").path("id").asText();
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
    return id;
  }

  /** What the hub was told once it knows the end, and once nobody is telling it more. */
  private List<JsonNode> whole(String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database
                    .sql(
                        "select bool_and(next_seq = %d and claim_owner is null) from sink_stream where subject = '%s'"
                            .formatted(EventTypes.LIFE.size() + 1, id))
                    .equals("t"));
    return hub.of(id);
  }

  @Test
  void aNodeKilledInTheMiddleBlocksNobodyForLong() {
    first.arm("create.recorded");
    String thread = Door.thread();
    Door killed = one();
    var cut = CompletableFuture.runAsync(() -> killed.ensure(thread));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                database
                    .sql("select count(*) from session where scope_id = '%s'".formatted(thread))
                    .equals("1"));
    first.kill();
    assertThat(cut.handle((done, e) -> true).join()).isTrue();
    JsonNode session = Door.ok(two().send("ensure", thread, "Prefer", "wait=50"));
    assertThat(two().inside(session).exec("true").status()).isEqualTo(200);
    first.restart(nodes.settings("one"));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database
                    .sql(
                        "select count(*) from sandbox where session_id in (select id from session"
                            + " where scope_id = '%s') and destroyed_at is null".formatted(thread))
                    .equals("1"));
  }

  @Test
  void noTokenIsInTheDatabase() {
    List<String> tokens = new ArrayList<>();
    Door door = one();
    JsonNode session = door.ensure(Door.thread(), "Idempotency-Key", "\"no-token\"");
    tokens.add(session.path("token").asText());
    tokens.add(door.on(session.path("session_id").asText(), "refresh").field("/token"));
    tokens.add(Door.ok(door.acquire(Door.thread(), "")).path("token").asText());
    for (String token : tokens) {
      String signature = token.substring(token.lastIndexOf('.') + 1);
      assertThat(
              database.sql(
                  """
                  select string_agg(t, ', ') from (
                    select table_name as t, (xpath('/row/c/text()', query_to_xml(
                      format('select count(*) as c from %%I r where r::text like %%L', table_name,
                        '%%%s%%'), false, true, '')))[1]::text::int as found
                    from information_schema.tables
                    where table_schema = 'public' and table_type = 'BASE TABLE') x
                  where found > 0
                  """
                      .formatted(signature)))
          .isEqualTo("null");
    }
  }
}
