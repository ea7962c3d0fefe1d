package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command runs inside: the options that every verb has which runs one. */
final class CommandOptions {
  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable for the command; may be repeated.")
  private Map<String, String> env = Map.of();

  @Option(
      names = {"-w", "--cwd"},
      paramLabel = "DIR",
      description = "The working directory inside (default: /workspace).")
  private @Nullable String cwd;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "Kill the command after this time; exit code 124.")
  private @Nullable Integer timeout;

  @Option(
      names = {"-i", "--interactive"},
      description = "Forward standard input even when it is a terminal.")
  private boolean interactive;

  @Option(
      names = {"-t", "--tty"},
      description = "Give the command a terminal: this one, with every key; -i is implied.")
  private boolean tty;

  @Option(
      names = {"-q", "--quiet"},
      description = "Neither progress nor hints.")
  private boolean quiet;

  CommandRequest request(List<String> words) {
    if (timeout != null && timeout <= 0) {
      throw Failure.usage("--timeout " + timeout + " must be at least 1 second");
    }
    return new CommandRequest(
        words, env, cwd, timeout == null ? null : Duration.ofSeconds(timeout));
  }

  /** What is forwarded; null gives the command an empty input. */
  @Nullable InputStream stdin(Streams streams) {
    return interactive || !streams.terminal() ? streams.in() : null;
  }

  /** Whether the command gets a terminal. */
  boolean tty() {
    return tty;
  }

  /** Whether a limit was given. */
  boolean limited() {
    return timeout != null;
  }

  boolean quiet() {
    return quiet;
  }
}
