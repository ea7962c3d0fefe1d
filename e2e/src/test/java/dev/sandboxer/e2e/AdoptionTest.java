package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Way;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Sandboxes that are reached by streams of their extension, which end with the platform. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AdoptionTest {

  private static final String NAME = "streamed";
  private static final FaultyPlatform STREAMED = new FaultyPlatform(Way.STREAMS, NAME);
  private static final int MANY = 50;

  private static Platform platform;
  private static ExecutorService threads;

  @BeforeAll
  static void start() {
    threads = Executors.newVirtualThreadPerTaskExecutor();
    platform = STREAMED.start();
    STREAMED.routed(platform);
  }

  /** The guide's extension looks through all processes in each call: for fifty that takes long. */
  @AfterAll
  static void stop() {
    platform.kill();
    String home = platform.home().toString();
    ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(home))
        .forEach(ProcessHandle::destroyForcibly);
    platform.close();
    threads.shutdownNow();
  }

  @AfterEach
  void noMoreFaults() {
    STREAMED.backend(platform, NAME).sound();
  }

  private static String made() {
    return platform.api().ready(STREAMED.profile("faulty")).path("id").asText();
  }

  private static List<Api.Reply> execInEach(List<String> ids) {
    List<CompletableFuture<Api.Reply>> calls =
        ids.stream()
            .map(
                id ->
                    CompletableFuture.supplyAsync(
                        () -> platform.api().access(id).exec("echo", id), threads))
            .toList();
    return calls.stream().map(CompletableFuture::join).toList();
  }

  /** Last: so many make each call of the guide's extension slow. */
  @Test
  @Order(Integer.MAX_VALUE)
  void fiftyAreReachedAgainAfterTheirPlatformWasKilled() {
    List<String> ids =
        Stream.generate(() -> CompletableFuture.supplyAsync(AdoptionTest::made, threads))
            .limit(MANY)
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    platform.kill();
    platform.restart(Map.of());
    List<Api.Reply> replies = execInEach(ids);
    for (int i = 0; i < MANY; i++) {
      assertThat(replies.get(i).status()).as(replies.get(i).text()).isEqualTo(200);
      assertThat(replies.get(i).field("/stdout")).isEqualTo(ids.get(i) + "\n");
    }
  }

  @Test
  void oneThatCannotBeReachedSaysWhyAndIsReachedOnceItCan() {
    String id = made();
    FaultyBackend backend = STREAMED.backend(platform, NAME);
    backend.always("waitReady", Fault.LOST_REQUEST);
    platform.kill();
    platform.restart(Map.of());
    Api.Reply lost = platform.api().access(id).exec("true");
    assertThat(lost.code()).isEqualTo("SANDBOX_UNREACHABLE");
    assertThat(lost.text()).contains("its extension says: the request was lost");
    backend.sound();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> platform.api().access(id).exec("true").status() == 200);
  }

  @Test
  void oneWhoseExtensionHangsKeepsNoOtherFromItsClients() {
    String id = made();
    platform.kill();
    STREAMED.backend(platform, NAME).always("waitReady", Fault.HANG);
    platform.restart(Map.of());
    List<CompletableFuture<Api.Reply>> waiting =
        Stream.generate(
                () ->
                    CompletableFuture.supplyAsync(
                        () -> platform.api().access(id).exec("true"), threads))
            .limit(40)
            .toList();
    assertThat(platform.api().get("/v1/profiles").status()).isEqualTo(200);
    STREAMED.backend(platform, NAME).sound();
    waiting.forEach(call -> assertThat(call.join().status()).isIn(200, 502, 503));
  }

  @Test
  void aPlatformThatIsKilledWhileItAsksAgainAsksAgain() {
    String id = made();
    platform.kill();
    platform.beginAgain(Map.of());
    platform.arm("adopt.reached"); // long before the process has got so far
    platform.awaitFailpoint("adopt.reached");
    platform.kill();
    platform.restart(Map.of());
    assertThat(platform.api().access(id).exec("true").status()).isEqualTo(200);
  }

  /** The address outlives the platform; its extension is not asked. */
  @Test
  void oneBehindTlsIsReachedAgain() {
    FaultyPlatform encrypted = new FaultyPlatform(Way.TLS, "encrypted");
    try (Platform other = encrypted.start()) {
      encrypted.routed(other);
      String id = other.api().ready(encrypted.profile("faulty")).path("id").asText();
      assertThat(other.api().access(id).exec("true").status()).isEqualTo(200);
      other.kill();
      encrypted.backend(other, "encrypted").always("waitReady", Fault.LOST_REQUEST);
      other.restart(Map.of());
      assertThat(other.api().access(id).exec("true").status()).isEqualTo(200);
    }
  }
}
