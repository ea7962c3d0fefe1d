package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.box.Box;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The client's actions by their names. */
@ApplicationScoped
class Actions {

  static final String EXEC = "box_exec";

  /** The client waits 60 s for a session. */
  private static final Duration SESSION_WAIT = Duration.ofSeconds(55);

  private static final long IDLE_SECONDS = 300;

  /** Of which nothing is entered into the audit: they change nothing. */
  private static final Set<String> QUIET =
      Set.of(
          "__ping",
          "__heartbeat",
          "box_health",
          "box_status",
          "box_get_session",
          "box_get_sessions",
          "box_get_managed_process",
          "box_get_backend_info",
          "box_get_storage_analysis",
          "box_verify_shared_workspace");

  /** About no workspace. */
  private static final Set<String> OF_HOST =
      Set.of(
          "__ping",
          "__heartbeat",
          "box_health",
          "box_get_backend_info",
          "box_init",
          "box_upsert_sandbox_admission_grant",
          "box_revoke_sandbox_admission_grant",
          "box_verify_shared_workspace",
          "box_shutdown");

  private final Map<String, Action> all = new HashMap<>();
  private final Sessions sessions;
  private final SessionView view;
  private final SessionCounts counts;
  private final Processes processes;
  private final BackendInfo backends;
  private final Capacity capacity;

  /** What a name stands for. */
  interface Action {

    Reply run(ActionCall call) throws InterruptedException;
  }

  private interface Simple {

    JsonObject run(ActionCall call) throws InterruptedException;
  }

  Actions(
      Sessions sessions,
      SessionView view,
      SessionCounts counts,
      Exec exec,
      Processes processes,
      BackendInfo backends,
      Capacity capacity,
      Grants grants,
      SharedFolder folder,
      Storage storage) {
    this.sessions = sessions;
    this.view = view;
    this.counts = counts;
    this.processes = processes;
    this.backends = backends;
    this.capacity = capacity;
    all.put(EXEC, exec::run);
    add("__ping", _ -> new JsonObject());
    add("__heartbeat", _ -> new JsonObject());
    add("box_init", this::init);
    add("box_health", call -> backends.of(call.client()));
    add("box_get_backend_info", call -> backends.of(call.client()));
    add("box_status", this::status);
    add("box_create_session", this::create);
    add("box_get_session", this::get);
    add("box_get_sessions", this::list);
    add("box_delete_session", this::delete);
    add("box_start_managed_process", processes::start);
    add("box_get_managed_process", processes::get);
    add("box_stop_managed_process", processes::stop);
    add("box_get_storage_analysis", storage::analysis);
    add("box_upsert_sandbox_admission_grant", grants::upsert);
    add("box_revoke_sandbox_admission_grant", grants::revoke);
    add("box_verify_shared_workspace", folder::verify);
    add("box_shutdown", this::shutdown);
  }

  private void add(String name, Simple action) {
    all.put(name, call -> Reply.of(action.run(call)));
  }

  /** The action of a name. */
  Action named(String name) {
    Action action = all.get(name);
    if (action == null) {
      throw new BoxError(Kind.OTHER, "action '%.80s' is not known".formatted(name));
    }
    return action;
  }

  static boolean quiet(String name) {
    return QUIET.contains(name);
  }

  static boolean ofHost(String name) {
    return OF_HOST.contains(name);
  }

  private JsonObject init(ActionCall call) {
    ClientConfig config = ClientConfig.read(call.data(), call.client().settings());
    call.client().config().set(config);
    JsonObject reply = new JsonObject().put("initialized", true);
    if (!config.notApplied().isEmpty()) {
      reply.put("not_applied", new JsonArray(config.notApplied()));
    }
    return reply;
  }

  private JsonObject status(ActionCall call) throws InterruptedException {
    List<Box> boxes = sessions.all(call.placement());
    return new JsonObject()
        .put("backend", backends.of(call.client()))
        .put("active_sessions", boxes.size())
        .put("managed_processes", counts.of(boxes).values().stream().mapToInt(i -> i).sum())
        .put("session_ttl_sec", IDLE_SECONDS)
        .put("capacity", capacity.of(call, boxes.size()));
  }

  private JsonObject create(ActionCall call) throws InterruptedException {
    Box box = sessions.ensure(call, SessionSpec.read(call.fields()), SESSION_WAIT);
    return view.of(call.placement(), box);
  }

  private JsonObject get(ActionCall call) throws InterruptedException {
    Box box = sessions.living(call.placement(), call.fields().word("session_id"));
    JsonObject session = view.of(call.placement(), box);
    if (!box.sandbox().state().reachable()) {
      return session;
    }
    JsonObject running = processes.of(call.placement(), box);
    if (!running.isEmpty()) {
      session.put("managed_processes", running);
    }
    if (running.containsKey("default")) {
      session.put("managed_process", running.getJsonObject("default"));
    }
    return session;
  }

  private JsonObject list(ActionCall call) throws InterruptedException {
    List<Box> boxes = sessions.all(call.placement());
    Map<String, Integer> running = counts.of(boxes);
    JsonArray all = new JsonArray();
    boxes.forEach(
        box ->
            all.add(
                view.of(call.placement(), box)
                    .put("managed_process_count", running.getOrDefault(box.id(), 0))));
    return new JsonObject().put("sessions", all);
  }

  private JsonObject delete(ActionCall call) throws InterruptedException {
    String session = call.fields().word("session_id");
    sessions.delete(call.placement(), session);
    return new JsonObject().put("deleted", session);
  }

  private JsonObject shutdown(ActionCall call) throws InterruptedException {
    int ended =
        sessions.deleteAll(
            call.client().principal().tenantId(), Placement.prefixOf(call.client().instance()));
    return new JsonObject().put("ended_sessions", ended);
  }
}
