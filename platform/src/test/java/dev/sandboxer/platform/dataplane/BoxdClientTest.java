package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.wire.SocketCheck;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.AcceptedTokens;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BoxdClientTest {

  private static final SandboxId ID = new SandboxId("abcdefghij0123456789");
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
  private final KeyRing keys = KeyRing.generate();
  private final Issuer issuer = new Issuer("11111111-2222-3333-4444-555555555555");
  private final BoxdClient client =
      new BoxdClient(
          vertx,
          new WireClient(
              vertx,
              new SocketCheck(uid -> false),
              TestCertificates.ALL,
              Optional.empty(),
              (_, _, _) -> "none",
              WireClient.SLOT_LIMIT),
          new TokenMinter(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens()));

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @ParameterizedTest
  @EnumSource
  void waits_for_boxd_and_configures_it(Via via) throws Exception {
    try (RealBoxd boxd = RealBoxd.start(via, keys, issuer, ID, 3)) {
      client.configure(ID, 3, boxd.address(), Map.of("NAME", "value"), 600, LIMIT);
      client.configure(ID, 3, boxd.address(), Map.of(), 600, LIMIT);
      client.deadline(ID, 3, boxd.address(), 300);
    }
  }

  /** By its answer; over TLS its certificate says so before. */
  @Test
  void another_generation_is_refused_at_once() throws Exception {
    try (RealBoxd boxd = RealBoxd.start(keys, issuer, ID, 3)) {
      client.awaitHealth(ID, 3, boxd.address(), LIMIT);
      assertThatThrownBy(() -> client.awaitHealth(ID, 4, boxd.address(), LIMIT))
          .isInstanceOf(BoxdException.class)
          .hasMessageContaining(ID.publicId())
          .hasMessageContaining("another");
      assertThatThrownBy(() -> client.configure(ID, 4, boxd.address(), Map.of(), 600, LIMIT))
          .isInstanceOf(BoxdException.class)
          .hasMessageContaining("another");
    }
  }

  @Test
  void says_why_it_never_became_healthy(@TempDir Path folder) throws IOException {
    isRefused(folder.resolve("none"), "its socket is not there");
    isRefused(Files.writeString(folder.resolve("file"), ""), "is none");
  }

  @Test
  void a_link_to_a_socket_is_not_followed(@TempDir Path folder) throws Exception {
    try (RealBoxd boxd = RealBoxd.start(keys, issuer, ID, 1)) {
      client.awaitHealth(ID, 1, boxd.address(), LIMIT);
      Path target = ((DataplaneAddress.UnixSocket) boxd.address()).path();
      Path link = Files.createSymbolicLink(folder.resolve("link"), target);
      isRefused(link, "is none");
    }
  }

  @Test
  void an_address_that_nobody_serves_is_named_without_its_secrets() {
    DataplaneAddress https =
        new DataplaneAddress.HttpsBase(
            URI.create("https://127.0.0.1:1/secret"), Map.of("X-Key", "secret"), Trust.PINNED);

    isRefused(https, "does not take connections");
    assertThatThrownBy(() -> client.awaitHealth(ID, 1, https, SHORT))
        .isInstanceOf(BoxdException.class)
        .hasMessageNotContaining("secret");
    assertThat(https.toString()).doesNotContain("secret");
  }

  private void isRefused(Path socket, String reason) {
    isRefused(new DataplaneAddress.UnixSocket(socket), reason);
  }

  /** More than once where not even one look fits into so short a time. */
  private void isRefused(DataplaneAddress address, String reason) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> client.awaitHealth(ID, 1, address, SHORT))
                    .hasMessageContaining(reason));
  }
}
