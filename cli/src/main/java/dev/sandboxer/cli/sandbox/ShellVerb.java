package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.CommandWords;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A shell in a sandbox. */
@Command(
    name = "shell",
    description = "Open a shell in a sandbox, or another command that wants a terminal.",
    customSynopsis = "sandboxer shell [OPTIONS] SANDBOX [[--] CMD [ARG...]]",
    footer = {
      "",
      "Every key goes to the shell, Ctrl-C too; the call ends with the shell and has its exit code.",
      "~. at the beginning of a line hangs up, ~~ is one tilde."
    })
public final class ShellVerb extends Verb {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "CMD",
      description = "Instead of the shell.",
      preprocessor = CommandWords.class)
  private List<String> command = new ArrayList<>();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable for the shell; may be repeated.")
  private Map<String, String> env = Map.of();

  @Option(
      names = {"-w", "--cwd"},
      paramLabel = "DIR",
      description = "The working directory inside (default: /workspace).")
  private @Nullable String cwd;

  public ShellVerb(Context context) {
    super(context);
  }

  /**
   * The prompt says which sandbox this is, unless the caller has one; every POSIX shell reads it.
   */
  private Map<String, String> withPrompt(String sandbox) {
    Map<String, String> all = new HashMap<>(Map.of("PS1", sandbox + ":$PWD$ "));
    all.putAll(env);
    return all;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (json()) {
      throw Failure.usage("a shell has no JSON; use sandboxer exec --json");
    }
    String sandbox = context().sandbox(id);
    AtTerminal terminal = new AtTerminal(context());
    terminal.check(false, "exec " + sandbox + " -- sh");
    CommandRequest request =
        new CommandRequest(Words.given(command), withPrompt(sandbox), cwd, null);
    return CommandStatus.of(terminal.runShell(context().dataplane(sandbox), request));
  }
}
