package dev.sandboxer.platform.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.address.AddressRange;
import dev.sandboxer.platform.address.CallableAddresses;
import dev.sandboxer.testing.FreePort;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Receivers are hostile: they lead elsewhere, never end, never answer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookClientTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Deque<List<InetAddress>> answers = new ArrayDeque<>();
  private Vertx vertx;
  private WebhookClient client;

  @BeforeAll
  void start() {
    vertx = Vertx.vertx();
    client = client(LIMIT);
  }

  private WebhookClient client(Duration limit) {
    CallableAddresses callable =
        new CallableAddresses(
            Stream.of("127.0.0.2", "127.0.0.3").map(AddressRange::parse).toList());
    return new WebhookClient(
        vertx,
        new Addressees(callable, _ -> answers.remove()),
        Optional.empty(),
        Clock.systemUTC(),
        limit);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(answers).isEmpty();
  }

  @AfterAll
  void stop() {
    client.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void resolves(String... addresses) {
    answers.add(Stream.of(addresses).map(InetAddress::ofLiteral).toList());
  }

  private Outcome post(RawReceiver receiver) throws InterruptedException {
    return post(client, receiver);
  }

  private static Outcome post(WebhookClient sender, RawReceiver receiver)
      throws InterruptedException {
    return sender.post(
        "http://hook.test:" + receiver.port() + "/a?b=c", Map.of("webhook-id", "evt_1"), "{}");
  }

  @Test
  void sendsToTheAddressThatWasChecked() throws IOException, InterruptedException {
    try (RawReceiver receiver =
        RawReceiver.answering("127.0.0.2", "HTTP/1.1 204 No Content\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver)).isEqualTo(new Outcome(204, null, Duration.ZERO));
      assertThat(receiver.heard())
          .startsWith("POST /a?b=c HTTP/1.1\r\n")
          .containsIgnoringCase("host: hook.test:" + receiver.port())
          .contains("webhook-id: evt_1")
          .endsWith("\r\n\r\n{}");
    }
  }

  @Test
  void aNameThatLeadsElsewhereLaterIsNotFollowed() throws IOException, InterruptedException {
    try (RawReceiver receiver = RawReceiver.answering("0.0.0.0", "HTTP/1.1 200 OK\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver).error()).isNull();
      resolves("127.0.0.1");
      assertThat(post(receiver).error()).contains("443 of a public address");
      resolves("127.0.0.2", "127.0.0.1");
      assertThat(post(receiver).error()).contains("443 of a public address");
      assertThat(receiver.calls()).isEqualTo(1);
    }
  }

  @Test
  void publicAddressesAreCalledByHttpsOnly() throws InterruptedException {
    resolves("8.8.8.8");
    assertThat(client.post("http://hook.test/", Map.of(), "{}").error()).contains("https");
    resolves("8.8.8.8");
    assertThat(client.post("https://hook.test:22/", Map.of(), "{}").error()).contains("443");
  }

  @Test
  void theNextAddressIsTriedWhereNoneAnswers() throws IOException, InterruptedException {
    try (RawReceiver receiver =
        RawReceiver.answering("127.0.0.3", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) {
      resolves("127.0.0.2", "127.0.0.3");
      assertThat(post(receiver).error()).isNull();
    }
  }

  @Test
  void noRedirectIsFollowedAndTheWishForLaterIsHeard() throws IOException, InterruptedException {
    try (RawReceiver receiver =
        RawReceiver.answering(
            "127.0.0.2",
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1/\r\nContent-Length: 0\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver))
          .isEqualTo(new Outcome(302, "the receiver answered 302", Duration.ZERO));
      assertThat(receiver.calls()).isEqualTo(1);
    }
    try (RawReceiver receiver =
        RawReceiver.answering(
            "127.0.0.2", "HTTP/1.1 429 No\r\nRetry-After: 77\r\nContent-Length: 0\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver).retryAfter()).isEqualTo(Duration.ofSeconds(77));
    }
  }

  @Test
  void whatTheReceiverSaysIsToldNowhereAndReadOnlyALittle()
      throws IOException, InterruptedException {
    try (RawReceiver receiver =
        RawReceiver.endless("127.0.0.2", "HTTP/1.1 500 Secret Words\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver).error()).isEqualTo("the receiver answered 500");
      assertThat(receiver.awaitCut()).isLessThan(16 << 20);
    }
  }

  @Test
  void oneThatBreaksOffOrSpeaksNonsenseIsAFailure() throws IOException, InterruptedException {
    try (RawReceiver receiver = RawReceiver.answering("127.0.0.2", "")) {
      resolves("127.0.0.2");
      assertThat(post(receiver)).isEqualTo(Outcome.failed("the receiver broke off"));
    }
    try (RawReceiver receiver = RawReceiver.answering("127.0.0.2", "SSH-2.0-x\r\n\r\n")) {
      resolves("127.0.0.2");
      assertThat(post(receiver)).isEqualTo(Outcome.failed("the receiver broke off"));
    }
    try (RawReceiver receiver = RawReceiver.endless("127.0.0.2", "HTTP/1.1 200 OK\r\nX: ")) {
      resolves("127.0.0.2");
      assertThat(post(receiver)).isEqualTo(Outcome.failed("the receiver broke off"));
    }
  }

  @Test
  void oneThatNeverAnswersIsAFailure() throws IOException, InterruptedException {
    WebhookClient hasty = client(Duration.ofSeconds(2));
    try (RawReceiver receiver = RawReceiver.silent("127.0.0.2")) {
      resolves("127.0.0.2");
      assertThat(post(hasty, receiver)).isEqualTo(Outcome.failed("no answer within 2 s"));
      assertThat(receiver.awaitCut()).isZero();
    } finally {
      hasty.close();
    }
  }

  @Test
  void oneThatIsNotThereIsToldInFewWords() throws IOException, InterruptedException {
    resolves("127.0.0.2");
    assertThat(client.post("http://hook.test:" + FreePort.find(), Map.of(), "{}"))
        .isEqualTo(Outcome.failed("the receiver could not be connected to"));
  }

  @Test
  void aReceiverWithoutTlsGetsNothingByHttps() throws IOException, InterruptedException {
    try (RawReceiver receiver =
        RawReceiver.answering("127.0.0.2", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
      resolves("127.0.0.2");
      Outcome outcome =
          client.post("https://hook.test:" + receiver.port(), Map.of(), "{\"hidden\": 1}");
      assertThat(outcome.error()).isNotNull();
      assertThat(outcome.status()).isNull();
      assertThat(new String(receiver.heard().getBytes(US_ASCII), US_ASCII))
          .doesNotContain("hidden");
    }
  }
}
