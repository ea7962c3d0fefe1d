package dev.sandboxer.cli.help;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Completion of verbs and options in a shell. */
@Command(
    name = "completion",
    description = "Print what makes a shell complete verbs and options.",
    footer = {
      "",
      "bash  source <(sandboxer completion bash)      in ~/.bashrc",
      "zsh   source <(sandboxer completion zsh)       in ~/.zshrc, after compinit",
      "fish  sandboxer completion fish | source       in ~/.config/fish/config.fish"
    })
public final class CompletionVerb extends Verb {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private String shell = "";

  public CompletionVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    CommandLine all = spec.root().commandLine();
    String script =
        switch (shell) {
          case "bash", "zsh" -> AutoComplete.bash(all.getCommandName(), all);
          case "fish" -> new FishCompletion(all).script();
          default ->
              throw Failure.usage("for the shell '" + shell + "' there is none: bash, zsh or fish");
        };
    context().console().result(script.stripTrailing());
    return ExitCode.OK;
  }
}
