package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** How many managed processes run in boxes; all are asked at once. */
@ApplicationScoped
class SessionCounts {

  private final BoxdProcesses processes;

  SessionCounts(BoxdProcesses processes) {
    this.processes = processes;
  }

  /** By the boxes' ids; a box that does not answer has none. */
  Map<String, Integer> of(List<Box> boxes) throws InterruptedException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      Map<String, Future<Integer>> asked = new LinkedHashMap<>();
      boxes.forEach(box -> asked.put(box.id(), each.submit(() -> running(box))));
      for (Map.Entry<String, Future<Integer>> one : asked.entrySet()) {
        counts.put(one.getKey(), one.getValue().get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("boxes could not be asked what runs in them", e.getCause());
    }
    return counts;
  }

  private int running(Box box) throws InterruptedException {
    try {
      return box.sandbox().state().reachable() ? processes.running(box.sandbox().id()) : 0;
    } catch (ProblemException e) {
      return 0;
    }
  }
}
