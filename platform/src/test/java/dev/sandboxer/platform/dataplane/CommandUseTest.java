package dev.sandboxer.platform.dataplane;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** What the platform's own commands are to a sandbox of the whole platform. */
@QuarkusTest
@TestProfile(InProcess.class)
class CommandUseTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ALL = "/v1/sandboxes";

  @Inject SandboxCommands commands;
  @Inject Jdbi jdbi;

  @Test
  void the_first_command_makes_a_sandbox_active_and_a_running_one_keeps_it_in_use()
      throws Exception {
    String name =
        asking()
            .header("Prefer", "wait=60")
            .body(Api.create("local"))
            .post(ALL)
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    SandboxId id = SandboxId.parse(name).orElseThrow();

    CommandResult result = commands.run(id, Command.shell(PATIENCE, "echo hi; exit 3"));
    assertThat(result.exitCode()).contains(3);
    assertThat(result.stdout().utf8()).contains("hi\n");
    await()
        .atMost(PATIENCE)
        .until(
            () -> "active".equals(asking().get(ALL + "/" + name).then().extract().path("state")));

    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<CommandResult> running =
          threads.submit(() -> commands.run(id, Command.of(PATIENCE, "sleep", "600")));
      await().atMost(PATIENCE).until(() -> requests(id) == 2);
      OffsetDateTime once = lastUse(id).orElseThrow();
      await().atMost(PATIENCE).until(() -> lastUse(id).orElseThrow().isAfter(once));
      assertThat(requests(id)).isEqualTo(2);
      running.cancel(true);
    }
    asking().delete(ALL + "/" + name).then().statusCode(202);
  }

  private Optional<OffsetDateTime> lastUse(SandboxId id) {
    return jdbi.withHandle(
        handle ->
            handle
                .select("select last_used_at from activity where sandbox_id = ?", id.raw())
                .mapTo(OffsetDateTime.class)
                .findOne());
  }

  private long requests(SandboxId id) {
    return jdbi.withHandle(
        handle ->
            handle
                .select("select requests from activity where sandbox_id = ?", id.raw())
                .mapTo(Long.class)
                .findOne()
                .orElse(0L));
  }
}
