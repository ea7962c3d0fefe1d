package dev.sandboxer.platform.box;

import dev.sandboxer.platform.dataplane.Answer;
import dev.sandboxer.platform.dataplane.SandboxCalls;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.reaper.InUse;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Keeps boxes with managed processes from ending for being idle. A box whose boxd does not say what
 * runs in it goes on as well: its time to live still ends it. Either counts as use, so that the
 * next question comes after another idle time.
 */
@ApplicationScoped
class BusyBoxes implements InUse {

  private static final Logger LOG = Logger.getLogger(BusyBoxes.class);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final int MOST_BYTES = 4 * 1024 * 1024;
  private static final int OK = 200;

  private static final String BOXES =
      "select sandbox_id from box where sandbox_id = any(:sandboxes)";

  private static final String USED =
      "update box set used_at = clock_timestamp() where sandbox_id = any(:sandboxes)";

  private final Jdbi jdbi;
  private final SandboxCalls calls;

  BusyBoxes(Jdbi jdbi, SandboxCalls calls) {
    this.jdbi = jdbi;
    this.calls = calls;
  }

  @Override
  public Set<SandboxId> among(List<Sandbox> unused) {
    List<SandboxId> boxes =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(BOXES)
                    .bindArray("sandboxes", String.class, raw(unused.stream().map(Sandbox::id)))
                    .mapTo(SandboxId.class)
                    .list());
    Set<SandboxId> busy = boxes.isEmpty() ? Set.of() : busy(boxes);
    if (!busy.isEmpty()) {
      jdbi.useHandle(
          handle ->
              handle
                  .createUpdate(USED)
                  .bindArray("sandboxes", String.class, raw(busy.stream()))
                  .execute());
    }
    return busy;
  }

  private static Object[] raw(Stream<SandboxId> ids) {
    return ids.map(SandboxId::raw).toArray();
  }

  private Set<SandboxId> busy(List<SandboxId> boxes) {
    Set<SandboxId> busy = new LinkedHashSet<>();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> answers =
          boxes.stream().map(box -> each.submit(() -> runsSomething(box))).toList();
      for (int i = 0; i < boxes.size(); i++) {
        if (answers.get(i).get()) {
          busy.add(boxes.get(i));
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("boxes could not be asked what runs in them", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Set.copyOf(boxes);
    }
    return busy;
  }

  private boolean runsSomething(SandboxId box) throws InterruptedException {
    try {
      Answer answer = calls.ask(box, Capability.PROCESS, "/v1/processes", LIMIT, MOST_BYTES);
      return answer.status() != OK || answer.json().map(BusyBoxes::running).orElse(true);
    } catch (ProblemException e) {
      LOG.infof("box kept, its processes are not known sandbox=%s: %s", box, e.getMessage());
      return true;
    }
  }

  private static boolean running(JsonObject reply) {
    return !(reply.getValue("items") instanceof JsonArray processes)
        || processes.stream()
            .anyMatch(
                one ->
                    !(one instanceof JsonObject process)
                        || !"finished".equals(process.getValue("state")));
  }
}
