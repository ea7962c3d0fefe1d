package dev.sandboxer.dataplane.exec;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.OutputClosed;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.dataplane.frame.Sockets;

/**
 * Runs commands and shells in a sandbox. Each has a connection of its own, and ends with it. Safe
 * for use by several threads.
 */
public final class Commands {
  private static final String EXEC = "/exec/ws";
  private static final String SHELL = "/shell/ws";

  private final Sockets sockets;

  /** Commands in one sandbox. */
  public Commands(Dataplane dataplane) {
    this.sockets = new Sockets(dataplane);
  }

  /**
   * Runs a command with an empty standard input to its end.
   *
   * @return how it ended; any exit code is an answer, not an exception
   * @throws CallRefused when the platform or the sandbox refuses the connection
   * @throws StreamRefused when the sandbox cannot start the command
   * @throws ConnectionLost when the connection broke; the command is then ended
   * @throws OutputClosed when {@code output} threw
   */
  public CommandEnd run(CommandRequest request, CommandOutput output) throws InterruptedException {
    try (RunningCommand command = start(request, output)) {
      command.awaitStart();
      command.endInput();
      return command.await();
    }
  }

  /**
   * Asks the sandbox to start a command and returns at once; {@link RunningCommand#awaitStart}
   * waits until it runs.
   *
   * @return the command, to be closed by the caller
   * @throws CallRefused when the platform or the sandbox refuses the connection
   * @throws ConnectionLost when the connection could not be made
   */
  public RunningCommand start(CommandRequest request, CommandOutput output)
      throws InterruptedException {
    return RunningCommand.start(sockets, EXEC, request, output);
  }

  /**
   * Starts a command with a terminal, or a shell where the request names no command; otherwise as
   * {@link #start}. Without a size the terminal has 80 by 24 characters.
   */
  public RunningCommand startShell(CommandRequest request, CommandOutput output)
      throws InterruptedException {
    return RunningCommand.start(sockets, SHELL, request, output);
  }
}
