package dev.sandboxer.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.testing.sandbox.LyingSandbox;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DataplaneTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  private final Connections connections = new Connections();
  private final AtomicInteger given = new AtomicInteger();

  @AfterEach
  void close() {
    connections.close();
  }

  /** Its grants, named by their number, end in this time. */
  private Dataplane grantedFor(Duration time) {
    return new Dataplane(
        connections,
        () ->
            new Grant(
                URI.create("http://127.0.0.1:9/v1"),
                URI.create("ws://127.0.0.1:9/v1"),
                "t" + given.incrementAndGet(),
                NOW.plus(time)),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Test
  void aGrantServesUntilHalfAMinuteBeforeItsEnd() throws InterruptedException {
    Dataplane longer = grantedFor(Duration.ofSeconds(31));
    assertThat(longer.grant()).isEqualTo(longer.grant());
    assertThat(given).hasValue(1);
    Dataplane shorter = grantedFor(Duration.ofSeconds(29));
    assertThat(shorter.grant()).isNotEqualTo(shorter.grant());
  }

  @Test
  void aForgottenGrantIsAskedForAgain() throws InterruptedException {
    Dataplane sandbox = grantedFor(Duration.ofHours(1));
    assertThat(sandbox.grant().token()).isEqualTo("t1");
    sandbox.forget();
    assertThat(sandbox.grant().token()).isEqualTo("t2");
  }

  @Test
  void aSourceThatFailsFailsTheCall() {
    Dataplane sandbox =
        new Dataplane(
            connections,
            () -> {
              throw new ConnectionLost("no platform", null);
            });
    assertThatThrownBy(() -> new DataplaneCalls(sandbox).get("/metrics"))
        .isInstanceOf(ConnectionLost.class)
        .hasMessage("no platform");
  }

  @Test
  void callsShowTheTokenAndRefusalsHaveTheirCode() throws Exception {
    try (LyingSandbox server =
        new LyingSandbox(
            line ->
                line.json(
                    line.request().startsWith("GET /v1/metrics ") ? 200 : 403,
                    line.request().startsWith("GET /v1/metrics ")
                        ? "{\"processes\": 2}"
                        : "{\"error\": {\"code\": \"CAPABILITY_DENIED\", \"message\": \"no\"}}"))) {
      URI base = URI.create("http://127.0.0.1:" + server.port() + "/v1");
      DataplaneCalls calls = new DataplaneCalls(Dataplane.of(connections, base, "my-token"));
      assertThat(calls.get("/metrics").path("processes").asInt()).isEqualTo(2);
      assertThat(server.heads().getFirst()).contains("Authorization: Bearer my-token\r\n");
      assertThatThrownBy(() -> calls.delete("/processes/p"))
          .isInstanceOfSatisfying(
              CallRefused.class,
              refused -> {
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.code()).isEqualTo("CAPABILITY_DENIED");
                assertThat(refused.passing()).isFalse();
              });
    }
  }

  @Test
  void nobodyThereIsALostConnection() {
    DataplaneCalls calls =
        new DataplaneCalls(Dataplane.of(connections, URI.create("http://127.0.0.1:1/v1"), "t"));
    assertThatThrownBy(() -> calls.get("/metrics")).isInstanceOf(ConnectionLost.class);
  }
}
