package dev.sandboxer.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompletionVerbTest {

  @TempDir private Path folder;

  private static String script(String shell) {
    CommandLineRun completion = new CommandLineRun();
    assertThat(completion.run("completion", shell)).isZero();
    return completion.out();
  }

  @ParameterizedTest
  @CsvSource({
    "insp, inspect",
    "do, doctor down",
    "run --prof, --profile",
    "down --, --destroy-all",
    "ls --color al, always",
    "keys cr, create",
  })
  void bashCompletes(String typed, String expected) throws IOException, InterruptedException {
    assertThat(completed(typed).split("\\s+")).contains(expected.split(" "));
  }

  @Test
  void hiddenVerbsStayHidden() throws IOException, InterruptedException {
    assertThat(completed("t")).contains("tenants").doesNotContain("train");
  }

  private String completed(String typed) throws IOException, InterruptedException {
    Path script = Files.writeString(folder.resolve("completion.bash"), script("bash"));
    List<String> words = List.of(("sandboxer " + typed).split(" "));
    String program =
        """
        source '%s'
        COMP_WORDS=(%s) COMP_CWORD=%d COMP_LINE='sandboxer %s'
        COMP_POINT=${#COMP_LINE}
        _complete_sandboxer
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(script, String.join(" ", words), words.size() - 1, typed);
    Process bash = new ProcessBuilder("bash", "-c", program).redirectErrorStream(true).start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(out).isZero();
    return out;
  }

  @Test
  void zshGetsTheSameWithItsOwnPreparation() {
    assertThat(script("zsh")).contains("bashcompinit", "_complete_sandboxer");
  }

  @Test
  void fishGetsALineAVerbAndALineAnOption() {
    assertThat(script("fish").lines())
        .contains(
            "complete -c sandboxer -n __fish_use_subcommand -f -a inspect -d 'Show a sandbox:"
                + " state, backend, limits, times, history, and why it failed.'")
        .anyMatch(line -> line.contains("from create' -s l -l label -r -d"))
        .allMatch(line -> line.startsWith("complete -c sandboxer ") || line.startsWith("#"));
  }

  @Test
  void anotherShellIsRefused() {
    CommandLineRun completion = new CommandLineRun();
    assertThat(completion.run("completion", "tcsh")).isEqualTo(2);
    assertThat(completion.err()).contains("bash, zsh or fish");
  }
}
