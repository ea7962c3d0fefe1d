package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** All that is known of a box. */
@Command(name = "show", description = "Show a box, with its sandbox.")
final class ShowVerb extends Verb {
  @Parameters(paramLabel = "BOX", description = "The box's id.")
  private String id = "";

  ShowVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode box = context().api().get(BoxPath.of(id));
    if (json()) {
      print(box);
    } else {
      BoxFacts.lines(box, context().clock().instant())
          .forEach(line -> context().console().result(Escapes.visible(line)));
    }
    return ExitCode.OK;
  }
}
