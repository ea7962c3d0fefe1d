package dev.sandboxer.cli;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Puts the command line together. */
public final class CommandLineFactory {
  private CommandLineFactory() {}

  /** Runs a command line over {@code context}, answers the exit code and never throws. */
  public static int execute(Context context, String... arguments) {
    return create(context, arguments).execute(arguments);
  }

  private static CommandLine create(Context context, String... arguments) {
    CommandLine line = new CommandLine(new Sandboxer());
    new Verbs(context).addTo(line, arguments);
    FailurePrinter failures = new FailurePrinter(context);
    return line.setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setUsageHelpWidth(110)
        .setOut(writer(context.console().streams().out()))
        .setErr(writer(context.console().streams().err()));
  }

  private static PrintWriter writer(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }
}
