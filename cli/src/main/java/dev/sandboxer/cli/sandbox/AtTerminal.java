package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.dataplane.TerminalCommands;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.cli.terminal.Terminal;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.exec.Commands;
import java.util.HashMap;
import java.util.Map;

/** A command with a terminal inside, at the terminal of this process. */
final class AtTerminal {
  private static final String TERM = "TERM";

  private final Context context;

  AtTerminal(Context context) {
    this.context = context;
  }

  /**
   * Refuses a call that wants JSON or has no terminal; {@code instead} is what goes without one.
   */
  void check(boolean json, String instead) {
    if (json) {
      throw Failure.usage("either --tty or --json, not both");
    }
    if (!context.console().streams().terminal()) {
      throw Failure.usage("standard input is no terminal; without one use: sandboxer " + instead);
    }
  }

  /** Runs a command to its end. */
  CommandEnd run(Dataplane dataplane, CommandRequest request) throws InterruptedException {
    return run(new Commands(dataplane)::start, request);
  }

  /** Runs a command, or a shell where the request names none, to its end. */
  CommandEnd runShell(Dataplane dataplane, CommandRequest request) throws InterruptedException {
    return run(new Commands(dataplane)::startShell, request);
  }

  private CommandEnd run(TerminalCommands.Start start, CommandRequest request)
      throws InterruptedException {
    Streams streams = context.console().streams();
    return new TerminalCommands(Terminal.ofStandardInput(), streams.in(), new PassThrough(streams))
        .run(start, withTerm(request));
  }

  /** What runs inside is told which terminal it speaks to, unless the caller said it. */
  private CommandRequest withTerm(CommandRequest request) {
    String term = context.environment().getOrDefault(TERM, "");
    if (term.isEmpty() || request.env().containsKey(TERM)) {
      return request;
    }
    Map<String, String> env = new HashMap<>(request.env());
    env.put(TERM, term);
    return request.withEnv(env);
  }
}
