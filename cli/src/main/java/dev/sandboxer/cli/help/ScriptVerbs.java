package dev.sandboxer.cli.help;

import dev.sandboxer.cli.Failure;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The verbs that the script beside the command line does itself. They stand here so that help,
 * completion, reference and suggestions know them; called here, they say where they are done.
 */
public final class ScriptVerbs {
  private ScriptVerbs() {}

  /** All of them, in the order in which they are shown. */
  public static List<CommandLine> all() {
    CommandSpec up = verb("up", "Build what changed and start the platform.");
    up.addOption(option("--detach", "Return once the platform is ready."));
    CommandSpec down = verb("down", "End the platform; its sandboxes go on.");
    down.addOption(option("--destroy-all", "Destroy the sandboxes of every tenant first."));
    CommandSpec bench = verb("bench", "Run the benchmarks.");
    bench.addPositional(
        PositionalParamSpec.builder()
            .paramLabel("GROUP")
            .arity("0..*")
            .type(String[].class)
            .description("start, exec, relay, create, events, ...; all unless given.")
            .build());
    bench.addOption(option("--json", "Print one JSON document."));
    CommandSpec install =
        verb("install", "Put what an extension is built against into Maven's repository.");
    install.addOption(
        OptionSpec.builder("--repo")
            .type(String.class)
            .paramLabel("DIR")
            .description("Another repository than Maven's own.")
            .build());
    CommandSpec sdk = verb("sdk", "For authors of extensions: install the SDK.");
    sdk.addSubcommand("install", install);
    return List.of(
        new CommandLine(up),
        new CommandLine(down),
        new CommandLine(verb("test", "Run everything that continuous integration runs.")),
        new CommandLine(bench),
        new CommandLine(sdk),
        new CommandLine(
            verb(
                "accept-database",
                "Say that home and database belong together, after a restore.")));
  }

  private static CommandSpec verb(String name, String description) {
    Callable<Integer> elsewhere =
        () -> {
          throw Failure.usage(name + " is done by the script: ./sandboxer " + name);
        };
    CommandSpec spec = CommandSpec.wrapWithoutInspection(elsewhere).name(name);
    spec.usageMessage().description(description);
    return spec;
  }

  private static OptionSpec option(String name, String description) {
    return OptionSpec.builder(name).type(boolean.class).description(description).build();
  }
}
