package dev.sandboxer.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What somebody who mistypes is told. */
class TyposTest {

  private static String told(String... arguments) {
    CommandLineRun typo = new CommandLineRun();
    assertThat(typo.run(arguments)).isEqualTo(2);
    return typo.err();
  }

  @Test
  void whatWasMeantIsNamed() {
    assertThat(told("rnu", "--", "true")).contains("no verb 'rnu'; did you mean 'run'?");
    assertThat(told("isnpect", "x")).contains("did you mean 'inspect'?");
    assertThat(told("delete", "x")).contains("did you mean 'rm'?");
    assertThat(told("strat")).doesNotContain("did you mean");
    assertThat(told("start")).contains("did you mean 'up'?");
    assertThat(told("dwon")).as("a verb of the script").contains("did you mean 'down'?");
    assertThat(told("keys", "crate", "x")).contains("did you mean 'create'?");
    assertThat(told("run", "--profil", "x")).contains("no option '--profil'", "'--profile'?");
    assertThat(told("create", "--lable=a=b")).contains("did you mean '--label'?");
  }

  @Test
  void whereNothingIsNearWhatThereIsIsListed() {
    assertThat(told("xyzzy"))
        .contains("there are up, down", "run, create, exec, shell", "cp, sync, ls, inspect")
        .contains("hosts, k8s, sweep");
    assertThat(told("ls", "--xyzzy")).contains("Usage: sandboxer ls").doesNotContain("mean");
  }

  @Test
  void optionsBeforeTheCommandAreTheVerbsOwn() {
    assertThat(told("exec", "--lang", "sb_a", "ls"))
        .contains("no option '--lang'", "stand behind --: sandboxer exec ... -- CMD");
  }

  @Test
  void helpNamesAVerb() {
    CommandLineRun help = new CommandLineRun();
    assertThat(help.run("help", "extend-ttl")).isZero();
    assertThat(help.out()).contains("sandboxer extend-ttl", "SANDBOX", "TIME");
    assertThat(told("help", "nonsense")).contains("nonsense");
  }

  @Test
  void aScriptReadsJson() throws IOException {
    CommandLineRun typo = new CommandLineRun();
    assertThat(typo.run("ls", "--json", "--al")).isEqualTo(2);
    assertThat(new ObjectMapper().readTree(typo.out()).at("/error/exit_code").asInt()).isEqualTo(2);
  }

  @Test
  void aVerbOfTheScriptSaysWhereItIsDone() {
    assertThat(told("up", "--detach")).contains("up is done by the script: ./sandboxer up");
  }
}
