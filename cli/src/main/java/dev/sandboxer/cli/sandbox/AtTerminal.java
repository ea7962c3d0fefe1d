package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Sandboxes;
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

  /** Refuses a call that has no terminal; {@code instead} is what goes without one. */
  void check(String instead) {
    if (!context.console().streams().terminal()) {
      throw Failure.usage(
          "standard input is no terminal; without one use: sandboxer exec " + instead);
    }
  }

  /** Runs to the end and answers the exit code. */
  int run(String sandbox, String route, CommandRequest request) throws InterruptedException {
    Streams streams = context.console().streams();
    CommandEnd end =
        new TerminalCommands(context.http(), context.json())
            .run(
                new Dataplane(new Sandboxes(context.api()), context.clock(), sandbox),
                route,
                withTerm(request),
                Terminal.ofStandardInput(),
                streams.in(),
                new PassThrough(streams));
    return end.status();
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
