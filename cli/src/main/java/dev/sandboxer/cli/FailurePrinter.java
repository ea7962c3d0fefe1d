package dev.sandboxer.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.client.ApiFailure;
import dev.sandboxer.cli.dataplane.DataplaneFailure;
import dev.sandboxer.cli.help.Suggestion;
import dev.sandboxer.cli.terminal.Signals;
import dev.sandboxer.dataplane.DataplaneException;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
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
    String message = message(failure, line);
    context.console().error(message);
    if (takesCommand(line) && message.matches("there is no option '[^']*'")) {
      context
          .console()
          .tell(
              "Options of the command itself stand behind --: "
                  + line.getCommandSpec().qualifiedName()
                  + " ... -- CMD");
    }
    String usage =
        new Help(line.getCommandSpec(), Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0).strip();
    context.console().tell(line.getParent() == null ? "See: sandboxer --help" : "Usage: " + usage);
    if (List.of(arguments).contains("--json")) {
      context.console().result(document(Failure.usage(message)).toString());
    }
    return ExitCode.USAGE;
  }

  /** A mistyped word gets what was meant, or what there is; picocli would only say which it was. */
  private static String message(ParameterException failure, CommandLine line) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(failure.getMessage()).replace("option option", "option");
    }
    String typed = unmatched.getUnmatched().getFirst();
    boolean option = typed.startsWith("-");
    Collection<String> known =
        option ? line.getCommandSpec().optionsMap().keySet() : shownVerbs(line);
    String kind = option ? "option" : line.getParent() == null ? "verb" : "argument";
    String wrong = "there is no %s '%s'".formatted(kind, typed);
    return Suggestion.of(typed, known)
        .map(meant -> wrong + "; did you mean '" + meant + "'?")
        .orElseGet(
            () ->
                option || known.isEmpty()
                    ? wrong
                    : wrong + "; there are " + String.join(", ", known));
  }

  private static boolean takesCommand(CommandLine line) {
    return line.getCommandSpec().positionalParameters().stream()
        .anyMatch(parameter -> parameter.paramLabel().equals("CMD"));
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
    if (context.console().readerGone()) {
      return ExitCode.bySignal(Signals.number("PIPE"));
    }
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
    return switch (thrown) {
      case Failure failure -> failure;
      case DataplaneException refused -> new DataplaneFailure(refused);
      default ->
          Failure.sandboxer(
              "this is a defect of the command line: "
                  + thrown
                  + " (SANDBOXER_DEBUG=1 shows where)",
              thrown);
    };
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
      if (api.profileKey() != null) {
        error.put("profile_key", api.profileKey());
      }
      if (api.sandboxId() != null) {
        error.put("sandbox_id", api.sandboxId());
      }
      if (api.differences().isArray()) {
        error.set("differences", api.differences());
      }
    }
    return document;
  }
}
