package dev.sandboxer.platform.mcp;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.pipeline.Pipelines;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.platform.problem.ProblemException;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the MCP servers of all pipelines, whoever uses them: when a pipeline was stored, when
 * the platform has started, and every few seconds. What fails is tried again, less and less often.
 */
@ApplicationScoped
class McpStarts {

  private static final Logger LOG = Logger.getLogger(McpStarts.class);
  private static final int AT_ONCE = 16;
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration CLAIM = Duration.ofSeconds(150);
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 10;

  private final Pipelines pipelines;
  private final McpBoxes boxes;
  private final Failpoints failpoints;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private boolean started;

  McpStarts(Pipelines pipelines, McpBoxes boxes, Failpoints failpoints) {
    this.pipelines = pipelines;
    this.boxes = boxes;
    this.failpoints = failpoints;
  }

  /** Claims what is due, as far as there is room. */
  @RunOnVirtualThread
  @Scheduled(identity = "mcp servers", every = "1s", concurrentExecution = SKIP)
  void takeDue() {
    if (!started) {
      pipelines.allDue();
      started = true;
    }
    int free = room.drainPermits();
    int taken = 0;
    try {
      for (StoredPipeline claimed :
          free == 0 ? List.<StoredPipeline>of() : pipelines.claimDue(free, CLAIM)) {
        taken++;
        threads.execute(() -> lookAfter(claimed));
      }
    } finally {
      room.release(free - taken);
    }
  }

  private void lookAfter(StoredPipeline claimed) {
    try {
      failpoints.reach("mcp.claimed");
      if (claimed.pipeline().mcpServers().isEmpty()) {
        boxes.end(claimed.tenantId(), claimed.pipeline());
        pipelines.nothingToLookAfter(claimed);
      } else {
        note(claimed, problem(claimed));
        endIfForgotten(claimed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warnf(
          "mcp servers are left to the next look pipeline=%s tenant=%s reason=%s",
          claimed.pipeline().id(), claimed.tenantId(), e);
    } finally {
      room.release();
    }
  }

  private @Nullable String problem(StoredPipeline claimed) throws InterruptedException {
    try {
      // A pipeline of a release that kept no key has no MCP servers either.
      String key = claimed.principalId().orElseThrow();
      Map<String, String> problems = boxes.lookAfter(claimed, key, WAIT);
      return problems.isEmpty() ? null : text(problems);
    } catch (ProblemException e) {
      return e.problem().detail();
    }
  }

  private static String text(Map<String, String> problems) {
    return problems.entrySet().stream()
        .map(
            entry ->
                "MCP server '%s' cannot be started: %s".formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("; "));
  }

  private void note(StoredPipeline claimed, @Nullable String problem) {
    Duration next = PAUSE;
    if (problem != null) {
      int doublings = Math.min(claimed.mcpFailures(), MOST_DOUBLINGS);
      Duration longer = Duration.ofSeconds(1L << doublings);
      next = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
      LOG.warnf(
          "mcp servers do not all run pipeline=%s tenant=%s reason=%s",
          claimed.pipeline().id(), claimed.tenantId(), problem);
    }
    pipelines.lookedAfter(claimed, next, problem);
  }

  /** A pipeline that was deleted meanwhile must not leave the box that was just made. */
  private void endIfForgotten(StoredPipeline claimed) throws InterruptedException {
    if (pipelines.find(claimed.tenantId(), claimed.pipeline().id()).isEmpty()) {
      boxes.end(claimed.tenantId(), claimed.pipeline());
    }
  }
}
