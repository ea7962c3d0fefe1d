package dev.sandboxer.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is on its way out is waited for longer than one that runs. */
class PostmasterPidTest {

  @TempDir private Path data;
  private Process server;

  @BeforeEach
  void aServer() throws IOException {
    server = new ProcessBuilder("sleep", "600").directory(data.toFile()).start();
  }

  @AfterEach
  void end() {
    server.destroyForcibly().onExit().join();
  }

  private void says(String status) throws IOException {
    Files.writeString(
        data.resolve("postmaster.pid"),
        "%d\n%s\n0\n1\n\n\n0 0\n%-8s\n".formatted(server.pid(), data, status));
  }

  @Test
  void oneThatRunsIsNamed() throws IOException {
    says("ready");
    PostmasterPid file = new PostmasterPid(data, Duration.ZERO, Duration.ofHours(1));
    assertThat(file.ready(server.pid())).isTrue();
    assertThatThrownBy(file::awaitFree)
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("process id " + server.pid());
  }

  @Test
  void oneThatEndsIsWaitedFor() throws Exception {
    says("stopping");
    PostmasterPid file = new PostmasterPid(data, Duration.ZERO, Duration.ofHours(1));
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              file.awaitFree();
              return true;
            });
    Thread waiting = Thread.ofPlatform().start(wait);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> wait.isDone() || waiting.getState() == Thread.State.TIMED_WAITING);
    assertThat(wait.isDone()).isFalse();
    server.destroyForcibly();
    assertThat(wait.get()).isTrue();
  }
}
