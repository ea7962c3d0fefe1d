package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Many callers at once: the cap holds, and one Idempotency-Key makes one sandbox. */
@OnEveryBackend
class LimitsTest {

  private static final int CALLERS = 12;

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of("SANDBOXER_MAX_LIVE", "3"));
    api = platform.api();
  }

  @AfterAll
  void stop() {
    assertThat(platform.log()).as("no worker had to try again").doesNotContain("worker failed");
    platform.close();
  }

  @Test
  void noMoreThanTheCapAreHeldAtOnce() throws Exception {
    List<Api.Reply> replies =
        atOnce(() -> api.post("/v1/sandboxes", Api.create(backend.profile())));
    // One that was ready before its reply was written answers 201.
    List<Api.Reply> taken = replies.stream().filter(reply -> reply.status() < 300).toList();
    assertThat(taken).as(replies.toString()).hasSize(3);
    assertThat(replies)
        .filteredOn(reply -> reply.status() >= 300)
        .allSatisfy(
            reply -> {
              assertThat(reply.status()).isEqualTo(429);
              assertThat(reply.code()).isEqualTo("QUOTA_EXCEEDED");
            });
    for (Api.Reply reply : taken) {
      var _ = api.get("/v1/sandboxes/" + reply.field("/id"), "Prefer", "wait=60");
    }
    api.destroyAll();
    assertThat(api.ready(backend.profile()).path("state").asText()).isEqualTo("ready");
    api.destroyAll();
  }

  @Test
  void oneKeyMakesOneSandboxHoweverManyAskAtOnce() throws Exception {
    List<Api.Reply> replies =
        atOnce(
            () ->
                api.post(
                    "/v1/sandboxes",
                    Api.create(backend.profile()),
                    "Idempotency-Key",
                    "together-" + backend,
                    "Prefer",
                    "wait=60"));
    assertThat(replies).allSatisfy(reply -> assertThat(reply.status()).isEqualTo(201));
    assertThat(replies.stream().map(reply -> reply.field("/id")).distinct()).hasSize(1);
    api.destroyAll();
  }

  private static List<Api.Reply> atOnce(Callable<Api.Reply> call)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<Api.Reply>> futures =
          IntStream.range(0, CALLERS).mapToObj(i -> threads.submit(call)).toList();
      List<Api.Reply> replies = new java.util.ArrayList<>();
      for (Future<Api.Reply> future : futures) {
        replies.add(future.get());
      }
      return replies;
    }
  }
}
