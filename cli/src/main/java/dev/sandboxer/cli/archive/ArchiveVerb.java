package dev.sandboxer.cli.archive;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What sandboxes are made of. */
@Command(
    name = "archive",
    description = "Archives that sandboxes are made of: upload, list, remove.")
public final class ArchiveVerb extends Verb {
  private ArchiveVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new ArchiveVerb(context))
        .addSubcommand("add", new AddVerb(context))
        .addSubcommand("ls", new ListVerb(context), "list")
        .addSubcommand("rm", new RemoveVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: archive add, ls or rm");
  }
}
