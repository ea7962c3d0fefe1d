package dev.sandboxer.platform.box;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many boxes a tenant may hold, and how long they are kept. */
@QuarkusTest
@TestProfile(Restricted.class)
class BoxQuotaTest {

  private static final int MOST = Restricted.BOXES;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Api api = InProcess.api();
  private @Inject Jdbi jdbi;

  @AfterEach
  void tidy() {
    api.get("/v1/boxes?limit=100")
        .json()
        .path("items")
        .forEach(box -> api.delete("/v1/boxes/" + box.path("id").asText()));
    api.destroyAll();
  }

  private Api.Reply ensure(String session) {
    return api.post(
        "/v1/boxes",
        "{\"session_id\": \"%s\", \"profile\": \"local\"}".formatted(session),
        "Prefer",
        "wait=60");
  }

  private Api.Reply made(String session) {
    Api.Reply reply = ensure(session);
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
    return reply;
  }

  private Api.Reply ended(String session) {
    Api.Reply box = made(session);
    String sandbox = "/v1/sandboxes/" + box.field("/sandbox_id");
    assertThat(api.delete(sandbox).status()).isIn(200, 202);
    await().atMost(PATIENCE).until(() -> api.get(sandbox).field("/state").equals("destroyed"));
    return box;
  }

  private int status(Api.Reply box) {
    return api.get("/v1/boxes/" + box.field("/id")).status();
  }

  private void untilForgotten(Api.Reply box) {
    await().atMost(PATIENCE).until(() -> status(box) == 404);
  }

  private static String unique() {
    return "s-" + UUID.randomUUID();
  }

  @Test
  void theQuotaIsExactHoweverManyAskAtOnce() throws Exception {
    List<Callable<Api.Reply>> calls =
        IntStream.range(0, 100).<Callable<Api.Reply>>mapToObj(n -> () -> ensure(unique())).toList();
    int granted = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Api.Reply> call : threads.invokeAll(calls)) {
        Api.Reply reply = call.get();
        if (reply.status() == 201) {
          granted++;
        } else {
          assertThat(reply.status()).as(reply.text()).isEqualTo(429);
          assertThat(reply.code()).isEqualTo("QUOTA_EXCEEDED");
          assertThat(reply.field("/detail")).contains("holds %d boxes".formatted(MOST));
          assertThat(reply.json().path("limit").asInt()).isEqualTo(MOST);
          assertThat(reply.json().path("in_use").asInt()).isEqualTo(MOST);
          assertThat(reply.field("/setting")).isEqualTo("SANDBOXER_MAX_BOXES");
        }
      }
    }
    assertThat(granted).isEqualTo(MOST);
    String known = api.get("/v1/boxes").field("/items/0/session_id");
    assertThat(made(known).field("/outcome")).isEqualTo("found");
    assertThat(api.delete("/v1/boxes/" + api.get("/v1/boxes").field("/items/0/id")).status())
        .isLessThan(300);
    assertThat(ensure(unique()).status()).isEqualTo(201);
    assertThat(ensure(unique()).status()).isEqualTo(429);
  }

  /** The pool has 16 connections; one is the test's. */
  @Test
  void thoseWhoWaitForTheTenantLeaveTheDatabaseToOthers() throws Exception {
    List<Future<Api.Reply>> waiting = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      jdbi.useTransaction(
          open -> {
            // What a create holds while it counts what the tenant has.
            open.createQuery("select id from tenant for update").mapTo(String.class).list();
            for (int i = 0; i < 40; i++) {
              waiting.add(threads.submit(() -> ensure(unique())));
            }
            await().atMost(PATIENCE).until(() -> waitForARow(open) > 0);
            for (int i = 0; i < 200; i++) {
              Api.Reply other = api.get("/v1/boxes");
              assertThat(other.status()).as(other.text()).isEqualTo(200);
            }
            assertThat(waitForARow(open)).isEqualTo(1);
          });
      for (Future<Api.Reply> one : waiting) {
        assertThat(one.get().status()).as(one.get().text()).isIn(201, 429);
      }
    }
  }

  private static int waitForARow(Handle open) {
    return open.createQuery(
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
        .mapTo(Integer.class)
        .one();
  }

  @Test
  void aBoxIsForgottenOnceItsSandboxIsLongOver() {
    Api.Reply living = made(unique());
    String session = unique();
    Api.Reply over = ended(session);
    untilForgotten(over);
    assertThat(status(living)).isEqualTo(200);
    Api.Reply again = made(session);
    assertThat(again.field("/outcome")).isEqualTo("new");
    assertThat(again.field("/id")).isNotEqualTo(over.field("/id"));
  }

  @Test
  void theBoxOfAPipelinesMcpServersStaysWhileThereIsThePipeline() {
    String pipeline = "p-" + UUID.randomUUID();
    String path = "/v1/pipelines/" + pipeline;
    byte[] body = "{\"profile\": \"local\"}".getBytes(StandardCharsets.UTF_8);
    assertThat(api.send("PUT", path, body).status()).isEqualTo(201);
    Api.Reply mcp = ended("mcp-" + pipeline);
    // It was over before the other one.
    untilForgotten(ended(unique()));
    assertThat(status(mcp)).isEqualTo(200);
    assertThat(api.delete(path).status()).isEqualTo(204);
    untilForgotten(mcp);
  }

  @Test
  void aBoxThatIsAskedForJustNowIsNotForgotten() {
    String session = unique();
    Api.Reply asked = made(session);
    jdbi.useTransaction(
        open -> {
          // What an ensure of the scope holds while it makes the box again.
          lock(open, asked.field("/id"));
          assertThat(api.delete("/v1/sandboxes/" + asked.field("/sandbox_id")).status())
              .isIn(200, 202);
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      api.get("/v1/sandboxes/" + asked.field("/sandbox_id"))
                          .field("/state")
                          .equals("destroyed"));
          untilForgotten(ended(unique()));
          assertThat(status(asked)).isEqualTo(200);
        });
    untilForgotten(asked);
  }

  private static void lock(Handle open, String box) {
    open.createQuery(
            """
            select pg_advisory_xact_lock(hashtextextended('box/' || tenant_id || '/' || scope_name, 0))
            from box where id = :id
            """)
        .bind("id", box)
        .mapToMap()
        .list();
  }
}
