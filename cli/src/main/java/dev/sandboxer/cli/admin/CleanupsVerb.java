package dev.sandboxer.cli.admin;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** What sandboxes left and nobody has seen gone. */
@Command(
    name = "cleanups",
    description = "List what is still to be removed; give up what cannot be.")
public final class CleanupsVerb extends Listing {
  private static final String PATH = "/v1/cleanups";

  private CleanupsVerb(Context context) {
    super(
        context,
        PATH,
        "attempt_id",
        "sandbox_id",
        "extension",
        "host",
        "age_seconds",
        "tries",
        "report/left/0/reason");
  }

  /** The verb with its own verbs; without one it lists. */
  public static CommandLine create(Context context) {
    return new CommandLine(new CleanupsVerb(context))
        .addSubcommand("list", new CleanupsVerb(context), "ls")
        .addSubcommand("forget", new Forget(context));
  }

  /** Gives up one. */
  @Command(
      name = "forget",
      description =
          "Give up a clean-up that cannot be done: nothing is removed, and it counts no more.")
  static final class Forget extends Verb {
    @Parameters(paramLabel = "ATTEMPT", description = "The attempt's id, such as att_...")
    private String id = "";

    Forget(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      if (!id.matches("att_[a-z0-9]{1,64}")) {
        throw Failure.usage(
            "\"" + id + "\" is no attempt's id: they look like att_...; see sandboxer cleanups");
      }
      var _ =
          context()
              .api()
              .post(PATH + "/" + id + "/forget", context().json().createObjectNode(), Map.of());
      if (json()) {
        print(context().json().createObjectNode().put("attempt_id", id).put("forgotten", true));
      } else {
        context().console().result(id + " forgotten");
      }
      return ExitCode.OK;
    }
  }
}
