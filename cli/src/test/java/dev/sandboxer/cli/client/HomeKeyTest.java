package dev.sandboxer.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the key of a home goes: the listener records every call that reaches it. */
class HomeKeyTest {
  private static final String KEY = "sbxk_ff";

  @TempDir private Path home;
  private StandIn listener;
  private Process process;

  @BeforeEach
  void aHomeWhosePlatformRuns() throws IOException {
    listener = new StandIn();
    process = new ProcessBuilder("sleep", "600").start();
    Files.createDirectory(home.resolve("run"));
    Files.writeString(home.resolve("admin.key"), KEY + "\n");
    Files.writeString(home.resolve("url"), listener.url() + "\n");
    writePid(startTicks());
  }

  @AfterEach
  void end() throws IOException {
    process.destroyForcibly();
    listener.close();
  }

  private void writePid(String ticks) throws IOException {
    Files.writeString(home.resolve("run/platform.pid"), process.pid() + " " + ticks + "\n");
  }

  private String startTicks() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
  }

  private CommandLineRun run() {
    return new CommandLineRun().with("SANDBOXER_HOME", home.toString());
  }

  private void isRefusedWithoutACall(CommandLineRun list, int code, String... texts) {
    assertThat(list.run("ls")).isEqualTo(code);
    assertThat(list.err()).contains(texts).doesNotContain(KEY);
    assertThat(listener.calls).isEmpty();
  }

  @Test
  void goesToTheAddressThatTheRunningPlatformWroteDown() {
    assertThat(run().run("ls")).isZero();
    assertThat(run().with("SANDBOXER_URL", listener.url() + "/").run("ls")).isZero();
    assertThat(listener.keys).hasSize(2).containsOnly("Bearer " + KEY);
  }

  @Test
  void goesNowhereWithoutAWrittenAddress() throws IOException {
    Files.delete(home.resolve("url"));
    isRefusedWithoutACall(
        run(), 125, "no platform is running for this home; ./sandboxer up --detach starts one");
    isRefusedWithoutACall(run().with("SANDBOXER_URL", listener.url()), 2, "SANDBOXER_KEY=sbxk_...");
  }

  @Test
  void goesNowhereOnceThePlatformWasKilled() throws InterruptedException {
    process.destroyForcibly().waitFor();
    isRefusedWithoutACall(run(), 125, "no platform is running for this home");
    isRefusedWithoutACall(run().with("SANDBOXER_URL", listener.url()), 2, "SANDBOXER_KEY=sbxk_...");
  }

  @Test
  void goesNowhereWhereAnotherProcessHasThePlatformsNumber() throws IOException {
    for (String ticks : new String[] {"1", "", "x y"}) {
      writePid(ticks);
      isRefusedWithoutACall(run(), 125, "no platform is running for this home");
    }
    Files.delete(home.resolve("run/platform.pid"));
    isRefusedWithoutACall(run(), 125, "no platform is running for this home");
  }

  @Test
  void doesNotGoToAnotherAddress() throws IOException {
    try (StandIn other = new StandIn()) {
      CommandLineRun list = run().with("SANDBOXER_URL", other.url());
      isRefusedWithoutACall(
          list, 2, "no key is named for " + other.url(), "SANDBOXER_KEY=sbxk_...");
      assertThat(other.calls).isEmpty();
      assertThat(run().with("SANDBOXER_URL", other.url()).with("SANDBOXER_KEY", "sbxk_0").run("ls"))
          .isZero();
      assertThat(other.keys).containsExactly("Bearer sbxk_0");
    }
  }

  @Test
  void anotherKeyGoesToTheHomesPlatform() {
    assertThat(run().with("SANDBOXER_KEY", "sbxk_0").run("ls")).isZero();
    assertThat(listener.keys).containsExactly("Bearer sbxk_0");
  }
}
