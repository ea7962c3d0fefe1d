package dev.sandboxer.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.terminal.Signals;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Tells what went wrong in a line or two, never by a stack trace unless SANDBOXER_DEBUG is set, and
 * says the exit code.
 */
final class FailurePrinter implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final Context context;

  FailurePrinter(Context context) {
    this.context = context;
  }

  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    context.console().error(message(failure, line));
    if (failure instanceof UnmatchedArgumentException unmatched) {
      List<String> suggestions = unmatched.getSuggestions();
      if (!suggestions.isEmpty()) {
        context.console().tell("Did you mean: " + String.join(", ", suggestions) + "?");
      }
    }
    context.console().tell("See: " + line.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  /** A mistyped verb gets the list of verbs; picocli would only say what it could not match. */
  private static String message(ParameterException failure, CommandLine line) {
    if (line.getParent() == null && failure instanceof UnmatchedArgumentException unmatched) {
      return "there is no verb '%s'; there are %s"
          .formatted(unmatched.getUnmatched().getFirst(), String.join(", ", shownVerbs(line)));
    }
    return String.valueOf(failure.getMessage());
  }

  private static List<String> shownVerbs(CommandLine line) {
    return line.getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(verb -> !verb.usageMessage().hidden())
        .map(verb -> verb.name())
        .distinct()
        .toList();
  }

  @Override
  public int handleExecutionException(Exception thrown, CommandLine line, ParseResult parsed) {
    Failure failure = told(thrown);
    context.console().error(failure.text());
    if (!context.environment().getOrDefault("SANDBOXER_DEBUG", "").isEmpty()) {
      thrown.printStackTrace(line.getErr());
    }
    if (line.getCommandSpec().userObject() instanceof Verb verb && verb.json()) {
      verb.print(document(failure));
    }
    return failure.exitCode();
  }

  private Failure told(Exception thrown) {
    if (thrown instanceof InterruptedException) {
      return interrupted();
    }
    return thrown instanceof Failure failure
        ? failure
        : Failure.sandboxer(
            "this is a defect of the command line: " + thrown + " (SANDBOXER_DEBUG=1 shows where)",
            thrown);
  }

  private Failure interrupted() {
    String signal = context.interrupts().first();
    return new Failure(
        signal == null ? ExitCode.INTERRUPTED : ExitCode.bySignal(Signals.number(signal)),
        "interrupted",
        null);
  }

  private ObjectNode document(Failure failure) {
    ObjectNode document = context.json().createObjectNode();
    ObjectNode error =
        document
            .putObject("error")
            .put("message", failure.text())
            .put("exit_code", failure.exitCode());
    if (failure instanceof ApiFailure api) {
      error.put("code", api.code()).put("status", api.status());
    }
    return document;
  }
}
