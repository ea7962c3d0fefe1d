package dev.sandboxer.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command: it only has verbs. */
@Command(
    name = "sandboxer",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Runs programs in isolated sandboxes.",
    footer = {
      "",
      "The platform is the one of SANDBOXER_URL and SANDBOXER_KEY, else of the files url and admin.key in",
      "SANDBOXER_HOME (default $HOME/.sandboxer).",
      "",
      "Exit codes: the command's own for run and exec (128 + n when signal n ended it, 124 after --timeout,",
      "126 and 127 when it could not be started), 125 when Sandboxer itself failed, 2 for a wrong call,",
      "130 after Ctrl-C."
    })
final class Sandboxer implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "which verb? For example: sandboxer run -- echo hello");
  }
}
