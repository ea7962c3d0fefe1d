package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a command gets, whichever way it is run. */
public final class CommandSettings {
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
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description =
          "Kill the command after this time, seconds or such as 90s or 5m; exit code 124.")
  private @Nullable Duration timeout;

  @Option(
      names = {"-q", "--quiet"},
      description = "Neither progress nor hints.")
  private boolean quiet;

  /** The command with what was asked for. */
  public CommandRequest request(List<String> words) {
    return new CommandRequest(words, env, cwd, timeout);
  }

  /** Whether hints are left out. */
  public boolean quiet() {
    return quiet;
  }
}
