package dev.sandboxer.cli;

import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.cli.terminal.Palette;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.cli.terminal.Table;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * Walks through what the other verbs use, so that a start-up cache written at its end serves them.
 * Changes nothing.
 */
@Command(
    name = "train",
    hidden = true,
    description = "Walk through the verbs for the start-up cache.")
final class TrainVerb extends Verb {
  private static final String NOBODY = "http://127.0.0.1:1";

  TrainVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    OutputStream nowhere = OutputStream.nullOutputStream();
    Console silent =
        new Console(
            new Streams(
                new ByteArrayInputStream(new byte[0]), nowhere, nowhere, false, false, false));
    Map<String, String> environment =
        Map.of("HOME", "/", "SANDBOXER_URL", NOBODY, "SANDBOXER_KEY", "none");
    Context context = new Context(environment, silent, new Interrupts(), context().clock());
    for (String[] arguments :
        new String[][] {
          {"--help"},
          {"ls"},
          {"run", "--", "true"},
          {"exec", "sb_a", "--", "true"},
          {"rm", "sb_a"},
          {"cp", "/", "sb_a:/tmp/"},
          {"inspect", "sb_a"},
          {"access", "sb_a"}
        }) {
      CommandLineFactory.execute(context, arguments);
    }
    Rehearsal.socket(context);
    new Table("ID").print(silent, Palette.PLAIN);
    return ExitCode.OK;
  }
}
