package dev.sandboxer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Colour is for a person's terminal; a table's columns stand below each other in any script. */
class ColourTest {

  private static final String GREEN_READY = "\u001b[32mready\u001b[0m";

  private static String list(StandIn platform, CommandLineRun list, String... more) {
    assertThat(list.run(more)).isZero();
    assertThat(platform.calls).contains("GET /v1/sandboxes");
    return list.out();
  }

  @Test
  void onlyATerminalThatCanGetsColour() throws IOException {
    try (StandIn platform = new StandIn()) {
      CommandLineRun run = CommandLineRun.against(platform);
      assertThat(list(platform, run, "ls")).contains("ready").doesNotContain("\u001b");
      assertThat(list(platform, CommandLineRun.against(platform).terminal(), "ls"))
          .contains(GREEN_READY);
      assertThat(
              list(
                  platform,
                  CommandLineRun.against(platform).terminal().with("NO_COLOR", "1"),
                  "ls"))
          .doesNotContain("\u001b");
      assertThat(
              list(
                  platform, CommandLineRun.against(platform).terminal().with("TERM", "dumb"), "ls"))
          .doesNotContain("\u001b");
    }
  }

  @Test
  void theOptionDecides() throws IOException {
    try (StandIn platform = new StandIn()) {
      assertThat(list(platform, CommandLineRun.against(platform), "ls", "--color=always"))
          .contains(GREEN_READY);
      assertThat(
              list(platform, CommandLineRun.against(platform).terminal(), "ls", "--color", "NEVER"))
          .doesNotContain("\u001b");
      CommandLineRun wrong = CommandLineRun.against(platform);
      assertThat(wrong.run("ls", "--color=blue")).isEqualTo(2);
      assertThat(wrong.err()).contains("auto, always, never");
    }
  }

  @Test
  void wideCharactersTakeTheirColumns() {
    assertThat(Columns.of("abc")).isEqualTo(3);
    assertThat(Columns.of("项目")).isEqualTo(4);
    assertThat(Columns.of("e\u0301")).isEqualTo(1);
    assertThat(Columns.of("🚀")).isEqualTo(2);
  }

  @Test
  void columnsStandBelowEachOther() {
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    Table table = new Table("NAME", "STATE");
    table.add("项目", "ready");
    table.add("long name", "failed");
    table.print(
        new Console(
            new Streams(java.io.InputStream.nullInputStream(), out, out, false, false, false)),
        Palette.PLAIN);
    List<String> lines = out.toString(java.nio.charset.StandardCharsets.UTF_8).lines().toList();
    assertThat(lines).containsExactly("NAME       STATE", "项目       ready", "long name  failed");
  }
}
