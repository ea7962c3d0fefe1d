package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command to run in a sandbox. boxd checks all but the timeout.
 *
 * @param argv program and arguments
 * @param cwd working directory inside, empty for the workspace; a relative one starts there
 * @param env variables, over those of the profile and the image
 * @param timeout after which it is killed with all that it started, 1 ms to 366 days
 * @param stdin its input, empty for none; boxd takes less than 1 MB of it
 */
public record Command(
    List<String> argv,
    Optional<String> cwd,
    Map<String, String> env,
    Duration timeout,
    Optional<Buffer> stdin) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(366);

  /**
   * Keeps immutable copies.
   *
   * @throws ProblemException VALIDATION for a timeout out of range
   */
  public Command {
    argv = List.copyOf(argv);
    env = Map.copyOf(env);
    if (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "the command's timeout is " + timeout + ", must be PT0.001S to " + LONGEST);
    }
  }

  /**
   * A program in the workspace, without input.
   *
   * @param timeout after which it is killed
   * @param argv program and arguments
   * @return the command
   */
  public static Command of(Duration timeout, String... argv) {
    return new Command(List.of(argv), Optional.empty(), Map.of(), timeout, Optional.empty());
  }

  /**
   * A line for {@code /bin/sh} in the workspace, without input.
   *
   * @param timeout after which it is killed
   * @param line such as {@code ls | wc -l}
   * @return the command
   */
  public static Command shell(Duration timeout, String line) {
    return of(timeout, "/bin/sh", "-c", line);
  }

  /** The body of boxd's {@code POST /v1/exec}. */
  Buffer request(int outputLimit) {
    JsonObject json =
        new JsonObject()
            .put("command", new JsonArray(argv))
            .put("env", new JsonObject(Map.<String, Object>copyOf(env)))
            .put("timeout_ms", timeout.toMillis())
            .put("output_limit_bytes", outputLimit);
    cwd.ifPresent(folder -> json.put("cwd", folder));
    stdin.ifPresent(
        input ->
            json.put("stdin", Base64.getEncoder().encodeToString(input.getBytes()))
                .put("stdin_encoding", "base64"));
    return json.toBuffer();
  }
}
