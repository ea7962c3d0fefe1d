package dev.sandboxer.cli.pipeline;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What the boxes of pipelines are made of. */
@Command(
    name = "pipeline",
    description = "Pipelines: what the boxes of a chat platform are made of, and MCP servers.")
public final class PipelineVerb extends Verb {
  private PipelineVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new PipelineVerb(context))
        .addSubcommand("apply", new ApplyVerb(context))
        .addSubcommand("ls", new ListVerb(context), "list")
        .addSubcommand("show", new ShowVerb(context))
        .addSubcommand("rm", new RemoveVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: pipeline apply, ls, show or rm");
  }
}
