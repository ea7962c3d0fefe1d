package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.CommandCollector.Outcome;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.SandboxCalls.Request;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import java.time.Duration;

/**
 * Runs commands in sandboxes for the platform itself. Calls block; they are meant for virtual
 * threads.
 *
 * <p>The output comes as frames while the command runs: as one value, two streams of escaped text
 * would take twelve times as much memory as they hold, and profiles may allow less than our limit
 * in one value.
 */
public final class SandboxCommands {

  /** Bytes of each stream that are kept; what a command writes beyond them is thrown away. */
  public static final int OUTPUT_LIMIT = 1 << 20;

  /** Over the command's timeout: to connect, by another node too, to kill it and to answer. */
  static final Duration MARGIN = Duration.ofSeconds(60);

  private final SandboxCalls calls;
  private final OutputMemory memory;

  SandboxCommands(SandboxCalls calls, OutputMemory memory) {
    this.calls = calls;
    this.memory = memory;
  }

  /**
   * Runs a command to its end. A non-zero exit, a signal and a timeout are results. A timeout kills
   * what the command started and nothing else in the sandbox.
   *
   * @param sandboxId the sandbox's id
   * @param command to run
   * @return how it ended and the first {@link #OUTPUT_LIMIT} bytes of each stream, fewer while many
   *     commands fill this node's memory
   * @throws ProblemException VALIDATION or UNSUPPORTED if the command cannot be started as it is,
   *     QUOTA_EXCEEDED if the sandbox runs as much as it may; else as {@link SandboxCalls#call}
   * @throws InterruptedException if the thread is interrupted; boxd then ends the command
   */
  public CommandResult run(SandboxId sandboxId, Command command) throws InterruptedException {
    Target target = calls.target(sandboxId);
    Request request =
        new Request(
            Capability.EXEC,
            "POST",
            "/v1/exec",
            "application/x-ndjson",
            command.request(OUTPUT_LIMIT));
    Duration limit = command.timeout().plus(MARGIN);
    CommandCollector collector = new CommandCollector(OUTPUT_LIMIT, memory, target.tenantId());
    return switch (calls.exchange(target, request, limit, collector)) {
      case Outcome.Ended ended -> ended.result();
      case Outcome.Refused refused -> throw refused.answer().refusal(sandboxId);
    };
  }
}
