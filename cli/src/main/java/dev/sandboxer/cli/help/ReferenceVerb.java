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
    description =
        "Print the reference of the command line, of the platform's API, or of events, as Markdown.")
public final class ReferenceVerb extends Verb {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--api", description = "That of the API, from a running platform.")
  private boolean api;

  @Option(names = "--events", description = "That of events, from a running platform.")
  private boolean events;

  public ReferenceVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    context().console().result(page().stripTrailing());
    return ExitCode.OK;
  }

  private String page() throws InterruptedException {
    if (api) {
      return new ApiReference(context().api().get("/v1/openapi?format=json")).page();
    }
    return events
        ? new EventReference(context().api().get("/v1/events/types").path("items")).page()
        : new CommandLineReference(spec.root().commandLine()).page();
  }
}
