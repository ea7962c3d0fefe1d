package dev.sandboxer.cli.help;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the references that stand in docs/reference. */
@Command(
    name = "reference",
    hidden = true,
    description = "Print the reference of the command line, or of the platform's API, as Markdown.")
public final class ReferenceVerb extends Verb {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--api", description = "That of the API, from a running platform.")
  private boolean api;

  public ReferenceVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String page =
        api
            ? new ApiReference(context().api().get("/v1/openapi?format=json")).page()
            : new CommandLineReference(spec.root().commandLine()).page();
    context().console().result(page.stripTrailing());
    return ExitCode.OK;
  }
}
