package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** All that is known of a volume. */
@Command(name = "show", description = "Show a volume, what is taken of it and who has it.")
final class ShowVerb extends Verb {
  @Parameters(paramLabel = "NAME", description = "The volume's name.")
  private String name = "";

  ShowVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode volume = context().api().get(VolumePath.of(name));
    if (json()) {
      print(volume);
    } else {
      VolumeFacts.lines(volume, context().clock().instant())
          .forEach(line -> context().console().result(Escapes.visible(line)));
    }
    return ExitCode.OK;
  }
}
