package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.CommandCollector.Outcome;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/**
 * Runs commands in a sandbox that is not ready yet. Calls block; they are meant for virtual
 * threads. {@link SandboxCommands} is for sandboxes that are.
 */
public final class BoxdCommands {

  private final WireClient client;
  private final TokenMinter minter;
  private final OutputMemory memory;
  private final BlockingCalls calls;

  BoxdCommands(Vertx vertx, WireClient client, TokenMinter minter, OutputMemory memory) {
    this.client = client;
    this.minter = minter;
    this.memory = memory;
    this.calls = new BlockingCalls(vertx);
  }

  /**
   * Runs a command to its end. A non-zero exit, a signal and a timeout are results.
   *
   * @param boxd of the sandbox
   * @param tenant whose command it is
   * @param command to run
   * @return as {@link SandboxCommands#run}
   * @throws BoxdException if boxd cannot be reached, does not start it, or ends meanwhile
   * @throws InterruptedException if the thread is interrupted; boxd then ends the command
   */
  public CommandResult run(Endpoint boxd, String tenant, Command command)
      throws BoxdException, InterruptedException {
    Buffer body = command.request(SandboxCommands.OUTPUT_LIMIT);
    CommandCollector collector = new CommandCollector(SandboxCommands.OUTPUT_LIMIT, memory, tenant);
    try {
      RequestHead head = head(boxd, body);
      Outcome outcome =
          calls.await(
              collector,
              command.timeout().plus(SandboxCommands.MARGIN),
              () ->
                  client.begin(
                      boxd,
                      head,
                      collector,
                      exchange -> collector.begin(exchange, body),
                      collector::failed));
      return switch (outcome) {
        case Outcome.Ended ended -> ended.result();
        case Outcome.Refused refused ->
            throw new BoxdException(
                "boxd of %s does not start the command: status %d"
                    .formatted(boxd.sandboxId(), refused.answer().status()));
      };
    } catch (WireException e) {
      throw new BoxdException("boxd of %s: %s".formatted(boxd.sandboxId(), e.reason()));
    }
  }

  private RequestHead head(Endpoint boxd, Buffer body) throws WireException {
    String token = minter.relay(boxd.sandboxId(), boxd.generation(), Capability.EXEC).value();
    return new RequestHead("POST", "/v1/exec")
        .header("Authorization", "Bearer " + token)
        .header("Accept", "application/x-ndjson")
        .header("Content-Type", "application/json")
        .length(body.length());
  }
}
