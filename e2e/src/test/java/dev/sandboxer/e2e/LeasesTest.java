package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Leases in short, and yet longer than a slow machine pauses between two renewals: tokens of 5 s, a
 * grace of 10 s, heartbeats for 10 s, idle after 25 s. The tests wait for these times together.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasesTest {

  /** The database's, which one test moves while no other one runs. */
  private static final String CLOCK = "clock";

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration TOKEN = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration IDLE = Duration.ofSeconds(25);

  /** One that waits for times to pass, as others do meanwhile. */
  @Retention(RetentionPolicy.RUNTIME)
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock(value = CLOCK, mode = ResourceAccessMode.READ)
  private @interface WaitingTest {}

  private Database database;
  private Platform platform;
  private Door door;

  @BeforeAll
  void start() {
    database = Database.start();
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_TOKEN_SECONDS", Long.toString(TOKEN.toSeconds()));
    settings.put("SANDBOXER_LEASE_GRACE_SECONDS", Long.toString(GRACE.toSeconds()));
    settings.put("SANDBOXER_LEASE_SECONDS", "10");
    settings.put("SANDBOXER_SCOPE_PROFILES", "workspace=brief");
    platform = Platform.startThrough(List.of(), home(), Platform.dist(), settings);
    door = new Door(platform.api());
  }

  /** A home with a profile whose idle time is short. */
  private static Path home() {
    try {
      Path home = Prepared.home();
      Files.createDirectory(home.resolve("profiles"));
      Files.writeString(
          home.resolve("profiles/brief.yaml"),
          """
          id: profile.brief
          version: 1
          extends: local@2
          idle: %ds
          """
              .formatted(IDLE.toSeconds()));
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  void stop() {
    platform.close();
    database.close();
  }

  private String state(JsonNode session) {
    return door.look(session.path("session_id").asText()).field("/binding/state");
  }

  private String reason(JsonNode session) {
    return door.look(session.path("session_id").asText()).field("/binding/end_reason");
  }

  private Instant ended(JsonNode session) {
    return Instant.parse(door.look(session.path("session_id").asText()).field("/binding/ended_at"));
  }

  @WaitingTest
  void whoRefreshesLivesAndWhoStopsIsReapedAfterTheGraceAndNotBefore() {
    JsonNode session =
        Door.ok(
            door.api()
                .post(
                    Door.PATH,
                    "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"profile\": \"brief\"}"
                        .formatted(Door.thread())));
    assertThat(session.at("/policy/idle_timeout_seconds").asLong()).isEqualTo(IDLE.toSeconds());
    String id = session.path("session_id").asText();
    // Beyond what the lease of its first token and its idle time would give, had no refresh counted
    Instant until = Instant.now().plus(IDLE).plus(TOKEN).plusSeconds(5);
    Instant tokenEnd = Instant.EPOCH;
    while (Instant.now().isBefore(until)) {
      Api.Reply refreshed = door.on(id, "refresh");
      assertThat(refreshed.status()).as(refreshed.text()).isEqualTo(200);
      Instant end = Instant.parse(refreshed.field("/expires_at"));
      tokenEnd = end;
      await().atMost(PATIENCE).until(() -> !Instant.now().isBefore(end.minusMillis(300)));
    }
    await().atMost(PATIENCE).until(() -> state(session).equals("terminated"));
    assertThat(reason(session)).isEqualTo("lease");
    assertThat(ended(session)).isAfterOrEqualTo(tokenEnd.plus(GRACE));
    assertThat(door.on(id, "refresh").status()).isEqualTo(410);
    String sandbox = session.at("/sandbox/id").asText();
    await().atMost(PATIENCE).until(() -> door.sandboxState(sandbox).equals("destroyed"));
    assertThat(door.api().get("/v1/sandboxes/" + sandbox).field("/end_reason")).isEqualTo("lease");
    assertThat(Host.jailsOf(sandbox)).isEmpty();
  }

  @WaitingTest
  void heartbeatsAloneKeepASessionUntilItIsIdle() {
    JsonNode session = Door.ok(door.full("workspace", Door.thread(), ""));
    String id = session.path("session_id").asText();
    Instant began = Instant.now();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> door.on(id, "heartbeat").status() == 410);
    assertThat(reason(session)).isEqualTo("idle");
    assertThat(ended(session)).isAfter(began.plus(IDLE).minusSeconds(1));
  }

  @WaitingTest
  void useKeepsASessionOfTheShortShape() {
    JsonNode session = door.ensure(Door.thread());
    JsonNode other = Door.ok(door.acquire(session.path("thread_id").asText(), ""));
    assertThat(other.path("session_id")).isEqualTo(session.path("session_id"));
    Api.Reply started =
        door.inside(other)
            .post("/exec", "{\"command\": [\"sleep\", \"20\"], \"timeout_ms\": 60000}");
    assertThat(started.status()).as("a stream outlives its token and the grace").isEqualTo(200);
    assertThat(state(session)).isEqualTo("active");
  }

  @WaitingTest
  void aRenewalThatRacesTheExpiryLeavesALiveLeaseOrACleanEnd() {
    List<String> ids =
        IntStream.range(0, 6)
            .mapToObj(_ -> Door.ok(door.full("run", Door.thread(), "")))
            .map(session -> session.path("session_id").asText())
            .toList();
    List<Instant> leases =
        ids.stream()
            .map(id -> Instant.parse(door.look(id).field("/binding/lease_expires_at")))
            .toList();
    for (int round = 0; round < ids.size(); round++) {
      String id = ids.get(round);
      Instant lease = leases.get(round);
      long offset = round * 250L - 250;
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> !Instant.now().isBefore(lease.plusMillis(offset)));
      var beats =
          IntStream.range(0, 4)
              .mapToObj(n -> CompletableFuture.supplyAsync(() -> door.on(id, "heartbeat")))
              .toList();
      for (var beat : beats) {
        Api.Reply reply = beat.join();
        assertThat(reply.status()).as(reply.text()).isIn(200, 410);
        if (reply.status() == 200) {
          Instant promised = Instant.parse(reply.field("/binding/lease_expires_at"));
          Api.Reply now = door.look(id);
          boolean live = now.json().at("/binding/ended_at").isMissingNode();
          boolean kept = live || !Instant.parse(now.field("/binding/ended_at")).isBefore(promised);
          assertThat(kept).as("what was promised holds: " + now.text()).isTrue();
        }
      }
      assertThat(door.release(id).status()).isEqualTo(204);
    }
  }

  @Test
  @ResourceLock(CLOCK)
  void aClockThatJumpsEndsNothing() {
    JsonNode session = Door.ok(door.full("deployment", Door.thread(), ""));
    String id = session.path("session_id").asText();
    assertThat(door.inside(session).exec("true").status()).isEqualTo(200);
    for (String step : new String[] {"1 hour", "0 hours"}) {
      database.stepClock(step);
      Instant until = Instant.now().plusSeconds(5);
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(300))
          .ignoreExceptions()
          .until(
              () -> {
                Api.Reply beat = door.on(id, "heartbeat");
                assertThat(beat.status()).as(step + beat.text()).isIn(200, 503);
                return beat.status() == 200 && Instant.now().isAfter(until);
              });
      // Until the guard has moved the deadlines along, the last use looks an hour old.
      await(step).atMost(PATIENCE).until(() -> state(session).equals("active"));
    }
  }
}
