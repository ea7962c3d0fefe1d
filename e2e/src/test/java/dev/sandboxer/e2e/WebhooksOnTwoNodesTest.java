package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.WebhookReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Two platform processes on one database send the messages of one webhook. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WebhooksOnTwoNodesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private WebhookReceiver receiver;
  private TwoNodes nodes;
  private Database database;
  private Platform first;
  private Platform second;
  private String hook;

  @BeforeAll
  void start() {
    receiver = WebhookReceiver.start();
    nodes = new TwoNodes(node -> Map.of("SANDBOXER_WEBHOOK_ALLOW", "127.0.0.1"));
    database = nodes.database();
    first = nodes.first();
    second = nodes.second();
    hook =
        first
            .api()
            .post("/v1/webhooks", "{\"url\": \"%s\"}".formatted(receiver.url()))
            .field("/id");
    assertThat(hook).startsWith("whk_");
  }

  @AfterAll
  void stop() {
    nodes.close();
    receiver.close();
  }

  /** Each request is kept for half a second, so that a second one of its sandbox would meet it. */
  @Test
  @Order(1)
  void aMessageIsSentByOneOfThemAndNoneBeforeItsTurn() {
    Crossing crossing = new Crossing();
    Set<String> senders = ConcurrentHashMap.newKeySet();
    receiver.answer(
        delivery -> {
          int status = crossing.pass(delivery);
          if (senders.size() < 2) {
            senders.add(sender(delivery.sandbox()));
          }
          return status;
        });
    List<String> ids = new ArrayList<>();
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              List.of(first, second).forEach(node -> ids.add(live(node)));
              assertThat(crossing.met()).isEmpty();
              ids.forEach(this::awaitWhole);
              return senders.size() == 2;
            });
    assertThat(crossing.met()).isEmpty();
    ids.forEach(id -> assertThat(types(id)).as(id).isEqualTo(EventTypes.LIFE));
  }

  /**
   * The claim of a node that is gone holds for a while yet; the database's clock is moved beyond
   * its end. What the claim had sent before the cut comes again: it was noted nowhere.
   */
  @Test
  @Order(2)
  void whatAKilledNodeWasSendingIsSentByTheOtherFromTheClaimsFirstMessage() {
    enable(first, false);
    List<String> ids = Stream.of(first, second, first, second).map(this::live).toList();
    await().atMost(PATIENCE).until(() -> waiting() == ids.size() * EventTypes.LIFE.size());
    Crossing crossing = new Crossing();
    Map<String, String> held = new ConcurrentHashMap<>();
    CountDownLatch released = new CountDownLatch(1);
    receiver.answer(
        delivery -> {
          if (delivery.type().equals("sandbox.ready") && ids.contains(delivery.sandbox())) {
            held.putIfAbsent(delivery.sandbox(), sender(delivery.sandbox()));
            waitFor(released);
          }
          return crossing.pass(delivery);
        });
    enable(first, true);
    await().atMost(PATIENCE).until(() -> held.keySet().containsAll(ids));

    String killed = Objects.requireNonNull(held.get(ids.getFirst()));
    Platform survivor = killed.equals("one") ? second : first;
    (killed.equals("one") ? first : second).kill();
    released.countDown();
    await().atMost(PATIENCE).until(() -> ids.stream().allMatch(id -> types(id).size() >= 3));
    ids.stream().filter(id -> !killed.equals(held.get(id))).forEach(this::awaitWhole);
    // What a claim's time does, at once: a clock that jumps takes claims along.
    var _ =
        database.sql(
            "update sink_stream set claim_until = clock_timestamp() where claim_owner like '%s/%%'"
                .formatted(killed));

    ids.forEach(this::awaitWhole);
    assertThat(crossing.met()).isEmpty();
    List<String> again =
        Stream.concat(EventTypes.LIFE.stream().limit(3), EventTypes.LIFE.stream()).toList();
    for (String id : ids) {
      boolean cut = killed.equals(held.get(id));
      assertThat(types(id)).as(id).isEqualTo(cut ? again : EventTypes.LIFE);
      assertThat(of(id).map(WebhookReceiver.Delivery::id).distinct())
          .as("what comes again has the id it had")
          .hasSize(EventTypes.LIFE.size());
    }
    assertThat(survivor.api().get("/v1/webhooks/" + hook).field("/failures")).isEqualTo("0");
  }

  private String live(Platform node) {
    String id = node.api().ready("local").path("id").asText();
    assertThat(node.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status())
        .isEqualTo(200);
    return id;
  }

  private void enable(Platform node, boolean enabled) {
    byte[] body = "{\"enabled\": %s}".formatted(enabled).getBytes(UTF_8);
    assertThat(node.api().send("PATCH", "/v1/webhooks/" + hook, body).status()).isEqualTo(200);
  }

  private int waiting() {
    return Integer.parseInt(first.api().get("/v1/webhooks/" + hook).field("/waiting"));
  }

  /** Which node has the backlog of a sandbox. */
  private String sender(String id) {
    return database.sql(
        "select split_part(claim_owner, '/', 1) from sink_stream where sink_id = '%s' and subject = '%s'"
            .formatted(hook, id));
  }

  /** Until everything has come and nobody is sending more. */
  private void awaitWhole(String id) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                database
                    .sql(
                        "select next_seq = %d and claim_owner is null from sink_stream where sink_id = '%s' and subject = '%s'"
                            .formatted(EventTypes.LIFE.size() + 1, hook, id))
                    .equals("t"));
  }

  private Stream<WebhookReceiver.Delivery> of(String id) {
    return receiver.got().stream().filter(delivery -> delivery.sandbox().equals(id));
  }

  private List<String> types(String id) {
    return of(id).map(WebhookReceiver.Delivery::type).toList();
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Keeps each request until a second one of its sandbox comes, or half a second. */
  private static final class Crossing {

    private final Map<String, CountDownLatch> open = new ConcurrentHashMap<>();
    private final Set<String> met = ConcurrentHashMap.newKeySet();

    /** Sandboxes of which two requests were open at a time. */
    Set<String> met() {
      return met;
    }

    int pass(WebhookReceiver.Delivery delivery) {
      CountDownLatch second = new CountDownLatch(1);
      CountDownLatch before = open.putIfAbsent(delivery.sandbox(), second);
      if (before != null) {
        met.add(delivery.sandbox());
        before.countDown();
        return 204;
      }
      try {
        var _ = second.await(500, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        open.remove(delivery.sandbox(), second);
      }
      return 204;
    }
  }
}
