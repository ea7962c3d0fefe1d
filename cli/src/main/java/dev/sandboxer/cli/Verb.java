package dev.sandboxer.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.ColourChoice;
import dev.sandboxer.cli.terminal.Palette;
import dev.sandboxer.cli.terminal.Table;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A verb of the command line with the options that every verb has. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public abstract class Verb implements Callable<Integer> {
  private final Context context;

  @Option(names = "--json", description = "Print one JSON document on standard output.")
  private boolean json;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      defaultValue = "auto",
      converter = WhenColour.class,
      description =
          "Colour: auto (on a terminal, unless NO_COLOR is set), always or never (default:"
              + " ${DEFAULT-VALUE}).")
  private ColourChoice colour = ColourChoice.AUTO;

  protected Verb(Context context) {
    this.context = context;
  }

  /** Whether one JSON document is wanted instead of text. */
  public boolean json() {
    return json;
  }

  /** What this verb works with. */
  public Context context() {
    return context;
  }

  /** The colours of standard output. */
  protected Palette palette() {
    return colour.palette(context.environment(), context.console().streams().outTerminal());
  }

  /** Prints a table on standard output. */
  protected void print(Table table) {
    table.print(context.console(), palette());
  }

  /** Prints a JSON document. */
  protected void print(JsonNode document) {
    try {
      context
          .console()
          .result(context.json().writerWithDefaultPrettyPrinter().writeValueAsString(document));
    } catch (JsonProcessingException e) {
      throw Failure.sandboxer("the answer cannot be written as JSON", e);
    }
  }

  /** Does the work and says the exit code. */
  @Override
  public abstract Integer call() throws InterruptedException;
}
