package dev.sandboxer.cli.extension;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** For authors of extensions; needs no platform. */
@Command(
    name = "extension",
    description = "For authors of extensions and sinks: check a jar or a folder of jars.",
    footer = {"", "sandboxer extensions lists what the platform has loaded."})
public final class ExtensionVerb extends Verb {
  private ExtensionVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new ExtensionVerb(context))
        .addSubcommand("check", new CheckVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage(
        "extension wants a verb: sandboxer extension check JAR-OR-FOLDER; the loaded ones are"
            + " listed by sandboxer extensions");
  }
}
