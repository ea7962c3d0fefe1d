package dev.sandboxer.cli.volume;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What outlives sandboxes. */
@Command(
    name = "volume",
    description = "Volumes, which outlive the sandboxes that mount them: create, list, remove.")
public final class VolumeVerb extends Verb {
  private VolumeVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new VolumeVerb(context))
        .addSubcommand("create", new CreateVerb(context))
        .addSubcommand("ls", new ListVerb(context), "list")
        .addSubcommand("show", new ShowVerb(context))
        .addSubcommand("rm", new RemoveVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: volume create, ls, show or rm");
  }
}
