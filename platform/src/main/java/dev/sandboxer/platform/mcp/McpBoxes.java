package dev.sandboxer.platform.mcp;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.Boxes;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.pipeline.McpServer;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The boxes in which the MCP servers of pipelines run. */
@ApplicationScoped
public class McpBoxes {

  private static final int MOST_KNOWN = 10_000;

  private final Boxes boxes;
  private final Waiters waiters;
  private final McpDefinitions definitions;
  private final Failpoints failpoints;

  /** Which pipelines this node has defined the servers of, as they are now. */
  private final Cache<Defined, Map<String, String>> defined =
      Caffeine.newBuilder().maximumSize(MOST_KNOWN).executor(Runnable::run).build();

  McpBoxes(Boxes boxes, Waiters waiters, McpDefinitions definitions, Failpoints failpoints) {
    this.boxes = boxes;
    this.waiters = waiters;
    this.definitions = definitions;
    this.failpoints = failpoints;
  }

  private record Defined(String tenantId, String pipeline, int revision, SandboxId sandbox) {

    static Defined of(StoredPipeline stored, SandboxId sandbox) {
      return new Defined(stored.tenantId(), stored.pipeline().id(), stored.revision(), sandbox);
    }
  }

  /**
   * Gives the sandbox in which a server of a pipeline is defined, and makes it where there is none.
   *
   * @param stored the pipeline as it is now
   * @param server one of its servers
   * @param principalId the key that asks
   * @param limit how long to wait for the sandbox
   * @return ready
   * @throws ProblemException SANDBOX_STARTING after the limit; INVALID_STATE if the server cannot
   *     be started; as for a create of a sandbox
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public SandboxId ready(
      StoredPipeline stored, McpServer server, String principalId, Duration limit)
      throws InterruptedException {
    Optional<SandboxId> living = living(stored);
    if (living.isPresent()) {
      Map<String, String> before = defined.getIfPresent(Defined.of(stored, living.get()));
      if (before != null && !before.containsKey(server.name())) {
        return living.get();
      }
    }
    SandboxId sandbox = await(stored, principalId, limit);
    String problem = define(stored, sandbox).get(server.name());
    if (problem != null) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "MCP server '%s' cannot be started: %s".formatted(server.name(), problem));
    }
    return sandbox;
  }

  /**
   * Makes a pipeline's box where there is none, and defines its servers.
   *
   * @param stored the pipeline as it is now
   * @param principalId the key in whose name
   * @param limit how long to wait for the sandbox
   * @return why servers cannot be started, by their names; empty if all run
   * @throws ProblemException as {@link #ready}
   * @throws InterruptedException if the waiting thread is interrupted
   */
  Map<String, String> lookAfter(StoredPipeline stored, String principalId, Duration limit)
      throws InterruptedException {
    return define(stored, await(stored, principalId, limit));
  }

  /**
   * Ends a pipeline's box.
   *
   * @param tenantId owner
   * @param pipeline whose box
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public void end(String tenantId, Pipeline pipeline) throws InterruptedException {
    Optional<Box> box = boxes.find(tenantId, pipeline.mcpScope());
    if (box.isPresent()) {
      boxes.delete(box.get());
    }
  }

  private Optional<SandboxId> living(StoredPipeline stored) {
    return boxes
        .find(stored.tenantId(), stored.pipeline().mcpScope())
        .filter(Box::living)
        .filter(box -> box.sandbox().state().reachable())
        .map(box -> box.sandbox().id());
  }

  private SandboxId await(StoredPipeline stored, String principalId, Duration limit)
      throws InterruptedException {
    Box box = boxes.ensure(stored.pipeline().mcpRequest(stored.tenantId(), principalId)).box();
    SandboxId id = box.sandbox().id();
    Optional<Sandbox> settled = waiters.await(id, row -> row.state().settled(), limit);
    if (settled.filter(row -> row.state().reachable()).isEmpty()) {
      boolean failed = settled.filter(row -> row.state().settled()).isPresent();
      throw new ProblemException(
          Problem.of(
                  failed ? ErrorCode.INVALID_STATE : ErrorCode.SANDBOX_STARTING,
                  "the box of the pipeline's MCP servers %s"
                      .formatted(
                          failed
                              ? "could not be made; GET /v1/sandboxes/{id} says why"
                              : "is not ready yet; send the same request again"))
              .with("box_id", box.id())
              .with("sandbox_id", id.publicId()));
    }
    return id;
  }

  private Map<String, String> define(StoredPipeline stored, SandboxId sandbox)
      throws InterruptedException {
    Defined key = Defined.of(stored, sandbox);
    Map<String, String> before = defined.getIfPresent(key);
    boolean known = before != null && before.isEmpty();
    failpoints.reach("mcp.box_ready");
    Map<String, String> problems = definitions.apply(sandbox, stored.pipeline(), known);
    failpoints.reach("mcp.defined");
    defined.put(key, problems);
    return problems;
  }
}
