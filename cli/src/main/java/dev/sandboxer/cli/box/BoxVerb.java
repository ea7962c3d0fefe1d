package dev.sandboxer.cli.box;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The sandboxes that belong to a chat, a user or a message. */
@Command(
    name = "box",
    description = "The sandbox that belongs to a chat, a user or a message: get, use, forget it.")
public final class BoxVerb extends Verb {
  private BoxVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new BoxVerb(context))
        .addSubcommand("ensure", new EnsureVerb(context))
        .addSubcommand("exec", new ExecVerb(context))
        .addSubcommand("ls", new ListVerb(context), "list")
        .addSubcommand("show", new ShowVerb(context))
        .addSubcommand("rm", new RemoveVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: box ensure, exec, ls, show or rm");
  }
}
