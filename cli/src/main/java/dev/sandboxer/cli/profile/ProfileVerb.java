package dev.sandboxer.cli.profile;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Everything about one profile. */
@Command(name = "profile", description = "Check, show or try a profile; profiles lists them.")
public final class ProfileVerb extends Verb {
  private ProfileVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new ProfileVerb(context))
        .addSubcommand("lint", new LintVerb(context))
        .addSubcommand("show", new ShowVerb(context))
        .addSubcommand("test", new TestVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("profile needs one of: lint FILE..., show NAME, test NAME [-- CMD...]");
  }
}
