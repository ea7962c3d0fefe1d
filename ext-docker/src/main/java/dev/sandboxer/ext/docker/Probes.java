package dev.sandboxer.ext.docker;

import dev.sandboxer.ext.docker.wire.EngineRoute;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException;
import dev.sandboxer.ext.docker.wire.SshRoute;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing.Check;
import dev.sandboxer.spi.Probing.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says what an Engine can do, and tries a container on it. */
final class Probes {

  private static final String ENGINE = "engine";

  private final Engines engines;
  private final Trial trial;

  Probes(Engines engines, Trial trial) {
    this.engines = engines;
    this.trial = trial;
  }

  Probe probe(Call call) {
    EngineRoute route;
    try {
      route = engines.route(call.host());
      engines.forget(call.host());
    } catch (ExtensionException e) {
      return unusable(List.of(), failed("settings", e, call));
    }
    try {
      EngineFacts facts = engines.facts(call);
      List<Check> checks = reached(route, ENGINE);
      checks.addAll(checks(facts));
      Check tried = tried(call);
      checks.add(tried);
      Probe found =
          new Probe(tried.ok(), facts.notEnforced(), checks).withRuntimes(facts.runtimes());
      return facts.room().map(found::withRoom).orElse(found);
    } catch (ExtensionException e) {
      String step =
          e.getCause() instanceof EngineUnreachableException unreachable
              ? unreachable.step()
              : ENGINE;
      Check failed =
          step.equals(SshRoute.HOST_KEY)
              ? new Check(
                  step,
                  false,
                  String.valueOf(e.getMessage()),
                  "settings.host_key of the host pins it")
              : failed(step, e, call);
      return unusable(reached(route, step), failed);
    }
  }

  private static Probe unusable(List<Check> reached, Check failed) {
    List<Check> checks = new ArrayList<>(reached);
    checks.add(failed);
    return new Probe(false, Set.of(), checks);
  }

  /** What was reached on the way before a step. */
  private static List<Check> reached(EngineRoute route, String step) {
    List<Check> checks = new ArrayList<>();
    if (step.equals(SshRoute.HOST_KEY)) {
      return checks;
    }
    for (String one : route.steps()) {
      if (one.equals(step)) {
        return checks;
      }
      checks.add(ok(one, route.name()));
    }
    return checks;
  }

  private Check tried(Call call) {
    try {
      trial.run(call);
      return ok("container", "one was made, answered and was removed");
    } catch (ExtensionException e) {
      return failed("container", e, call);
    }
  }

  private static List<Check> checks(EngineFacts facts) {
    return List.of(
        ok(ENGINE, "Docker " + facts.engine() + ", API " + facts.api().getVersion()),
        limits(facts),
        new Check(
            "seccomp",
            facts.seccomp(),
            facts.seccomp()
                ? "the Engine filters system calls, and boxd once more"
                : "the Engine has no seccomp: boxd alone filters system calls",
            null),
        users(facts),
        ok("runtimes", String.join(", ", facts.runtimes())));
  }

  private static Check limits(EngineFacts facts) {
    Set<Limit> missing = facts.notEnforced();
    String version = facts.cgroup().isEmpty() ? "control groups" : "cgroup v" + facts.cgroup();
    return missing.isEmpty()
        ? ok("limits", version + ": cpus, memory with swap, pids")
        : new Check(
            "limits",
            false,
            version + ": not enforced: " + missing + "; docker info says what is missing",
            null);
  }

  private static Check users(EngineFacts facts) {
    if (facts.rootless()) {
      return new Check("users", false, "the Engine runs rootless, which is not supported", null);
    }
    return ok(
        "users",
        facts.remapped()
            ? "the Engine maps users (userns-remap)"
            : "each sandbox has a user id of its own on the host");
  }

  private static Check ok(String name, String detail) {
    return new Check(name, true, detail, null);
  }

  private static Check failed(String name, ExtensionException e, Call call) {
    return new Check(name, false, e.code() + ": " + e.getMessage(), remedy(e, call));
  }

  private static @Nullable String remedy(ExtensionException e, Call call) {
    return switch (e.code()) {
      case UNAVAILABLE -> call.host().local() ? "systemctl start docker" : null;
      case AUTHORIZATION ->
          call.host().sameMachine()
              ? "usermod -aG docker " + System.getProperty("user.name")
              : null;
      default -> null;
    };
  }
}
