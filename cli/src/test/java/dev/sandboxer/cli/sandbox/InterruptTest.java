package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.cli.terminal.Interrupts;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InterruptTest {
  private static final long LIMIT = 30;

  private final CompletableFuture<Interrupts> signals = new CompletableFuture<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @Test
  void ctrlCReachesTheCommandAndTheSandboxIsDestroyed() throws Exception {
    CommandLineRun run = CommandLineRun.against(platform);
    CompletableFuture<Integer> end =
        run.start(
            signals,
            "run",
            "--",
            "sh",
            "-c",
            "trap 'echo caught; exit 5' INT; echo up; while :; do sleep 0.05; done");
    platform.commandStarted.await(LIMIT, TimeUnit.SECONDS);
    signals.get().arrive("INT");
    assertThat(end.get(LIMIT, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(run.out()).isEqualTo("up\ncaught\n");
    assertThat(run.err()).endsWith("destroyed\n");
  }

  @Test
  void theSecondCtrlCKillsACommandThatIgnoresTheFirst() throws Exception {
    CommandLineRun run = CommandLineRun.against(platform);
    CompletableFuture<Integer> end =
        run.start(signals, "run", "--", "sh", "-c", "trap '' INT; echo up; exec sleep 600");
    platform.commandStarted.await(LIMIT, TimeUnit.SECONDS);
    signals.get().arrive("INT");
    signals.get().arrive("INT");
    assertThat(end.get(LIMIT, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(run.err()).endsWith("destroyed\n");
  }

  @Test
  void termIsToldApart() throws Exception {
    CommandLineRun run = CommandLineRun.against(platform);
    CompletableFuture<Integer> end =
        run.start(signals, "run", "--", "sh", "-c", "echo up; exec sleep 600");
    platform.commandStarted.await(LIMIT, TimeUnit.SECONDS);
    signals.get().arrive("TERM");
    assertThat(end.get(LIMIT, TimeUnit.SECONDS)).isEqualTo(143);
  }

  @Test
  void ctrlCWhileCreatingFindsWhatWasMadeByTheSameKeyAndDestroysIt() throws Exception {
    platform.next("POST /v1/sandboxes", StandIn.silent());
    CommandLineRun run = CommandLineRun.against(platform);
    CompletableFuture<Integer> end = run.start(signals, "run", "--", "true");
    platform.createArrived.await(LIMIT, TimeUnit.SECONDS);
    signals.get().arrive("INT");
    assertThat(end.get(LIMIT, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(platform.idempotencyKeys)
        .hasSize(2)
        .containsOnly(platform.idempotencyKeys.getFirst());
    assertThat(platform.calls).contains("DELETE /v1/sandboxes/" + StandIn.ID);
    assertThat(run.err()).contains("interrupted");
  }
}
