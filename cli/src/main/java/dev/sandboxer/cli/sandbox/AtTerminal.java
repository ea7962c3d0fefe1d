package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.dataplane.CommandEnd;
import dev.sandboxer.cli.dataplane.CommandRequest;
import dev.sandboxer.cli.dataplane.Dataplane;
import dev.sandboxer.cli.dataplane.TerminalCommands;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.cli.terminal.Terminal;
import java.util.HashMap;
import java.util.Map;

/** A command with a terminal inside, at the terminal of this process. */
final class AtTerminal {
  static final String SHELL = "/shell/ws";
  static final String EXEC = "/exec/ws";

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

  /** Runs to the end. */
  CommandEnd run(Dataplane dataplane, String route, CommandRequest request)
      throws InterruptedException {
    Streams streams = context.console().streams();
    return new TerminalCommands(context.webSockets(), context.json())
        .run(
            dataplane,
            route,
            withTerm(request),
            Terminal.ofStandardInput(),
            streams.in(),
            new PassThrough(streams));
  }

  /** What runs inside is told which terminal it speaks to, unless the caller said it. */
  private CommandRequest withTerm(CommandRequest request) {
    String term = context.environment().getOrDefault(TERM, "");
    if (term.isEmpty() || request.env().containsKey(TERM)) {
      return request;
    }
    Map<String, String> env = new HashMap<>(request.env());
    env.put(TERM, term);
    return new CommandRequest(
        request.command(), env, request.cwd(), request.timeout(), request.terminal());
  }
}
