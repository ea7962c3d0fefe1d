package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Terminal;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandOutput;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.exec.RunningCommand;
import dev.sandboxer.dataplane.exec.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs commands that have a terminal inside, at the terminal of this process: every key goes to the
 * command, Ctrl-C too.
 */
public final class TerminalCommands {
  private static final int KEYS = 4096;
  private static final int HANGUP = 1;

  private final Terminal terminal;
  private final InputStream keys;
  private final CommandOutput output;
  private final AtomicBoolean hungUp = new AtomicBoolean();

  public TerminalCommands(Terminal terminal, InputStream keys, CommandOutput output) {
    this.terminal = terminal;
    this.keys = keys;
    this.output = output;
  }

  /** How a command is started. */
  @FunctionalInterface
  public interface Start {
    /** Asks the sandbox to start it. */
    RunningCommand start(CommandRequest request, CommandOutput output) throws InterruptedException;
  }

  /**
   * Runs one command to its end; the terminal is then as it was.
   *
   * @throws Failure when the user hung up
   */
  public CommandEnd run(Start start, CommandRequest request) throws InterruptedException {
    TerminalSize size = terminal.size();
    try (Terminal.Raw _ = terminal.raw();
        RunningCommand command = start.start(request.withTerminal(size), output)) {
      command.awaitStart();
      terminal.onResize(size, command::resize);
      Thread.ofPlatform().daemon().name("keys").start(() -> forward(command));
      return command.await();
    } catch (ConnectionLost e) {
      throw hungUp.get()
          ? new Failure(ExitCode.bySignal(HANGUP), "hung up; what ran in the terminal was ended", e)
          : e;
    }
  }

  private void forward(RunningCommand command) {
    EscapeKeys escape = new EscapeKeys();
    byte[] chunk = new byte[KEYS];
    for (int count = read(chunk); count >= 0; count = read(chunk)) {
      byte[] passed = escape.pass(chunk, count);
      if (passed.length > 0 && !command.write(passed, passed.length)) {
        return; // the command has ended, or who waits for it learns what went wrong
      }
      if (escape.hungUp()) {
        hungUp.set(true);
        command.close();
        return;
      }
    }
    command.endInput();
  }

  /** A terminal that cannot be read is gone. */
  private int read(byte[] chunk) {
    try {
      return keys.read(chunk);
    } catch (IOException e) {
      return -1;
    }
  }
}
