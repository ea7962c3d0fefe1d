package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneCalls;
import java.util.ArrayList;
import java.util.List;

/**
 * The managed processes of a sandbox, which go on without a client. Each call throws {@link
 * CallRefused} when the sandbox refuses it, {@link ConnectionLost} when there was no answer, and
 * IllegalArgumentException for an id that is not 1 to 64 letters, digits, {@code -} or {@code _}.
 * Safe for use by several threads.
 */
public final class Processes {
  private final DataplaneCalls calls;

  /** Processes of one sandbox. */
  public Processes(Dataplane dataplane) {
    this.calls = new DataplaneCalls(dataplane);
  }

  /** Starts one; refused with status 409 when one of that id runs. */
  public ManagedProcess start(ProcessRequest request) throws InterruptedException {
    return new ManagedProcess(calls.post("/processes", request.body()));
  }

  /** Those that run, and those that ended in the last five minutes. */
  public List<ManagedProcess> list() throws InterruptedException {
    List<ManagedProcess> processes = new ArrayList<>();
    calls.get("/processes").path("items").forEach(one -> processes.add(new ManagedProcess(one)));
    return List.copyOf(processes);
  }

  /** One of them; refused with status 404 when no process has that id. */
  public ManagedProcess get(String id) throws InterruptedException {
    return new ManagedProcess(calls.get(route(id)));
  }

  /**
   * Sends a signal.
   *
   * @param name such as {@code HUP}
   */
  public void signal(String id, String name) throws InterruptedException {
    var _ =
        calls.post(route(id) + "/signal", JsonNodeFactory.instance.objectNode().put("name", name));
  }

  /**
   * Ends one and all that it started: SIGTERM, SIGKILL 5 seconds later. One that has ended is taken
   * off the list.
   *
   * @return the process with its end
   */
  public ManagedProcess stop(String id) throws InterruptedException {
    return new ManagedProcess(calls.delete(route(id)));
  }

  /** The route of one; its id becomes part of a path, so it is checked. */
  static String route(String id) {
    if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
      throw new IllegalArgumentException("\"" + id + "\" is not a process's id");
    }
    return "/processes/" + id;
  }
}
