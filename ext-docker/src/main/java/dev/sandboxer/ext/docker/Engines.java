package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import dev.sandboxer.ext.docker.wire.EngineHttpClient;
import dev.sandboxer.ext.docker.wire.EngineRoute;
import dev.sandboxer.ext.docker.wire.UnixRoute;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Collectors;

/**
 * Makes an {@link Engine} for each call, the one of the call's host, and remembers what each Engine
 * can do.
 */
final class Engines implements AutoCloseable {

  private static final Duration FACTS_HOLD = Duration.ofSeconds(60);

  private final EngineRoutes routes;
  private final Duration timeout;
  private final ObjectMapper json = DockerClientConfig.getDefaultObjectMapper();
  private final ScheduledExecutorService timer;

  /** For as long as the extension lives: a host's address rarely changes. */
  private final Map<EngineRoute, Remembered> remembered = new ConcurrentHashMap<>();

  /**
   * None is known yet.
   *
   * @param local the socket of the Engine of hosts whose address is {@code local}
   * @param timeout how long an Engine may take to answer a request
   */
  Engines(Path local, Duration timeout) {
    this.routes = new EngineRoutes(local);
    this.timeout = timeout;
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("docker timer").factory());
    executor.setRemoveOnCancelPolicy(true);
    this.timer = executor;
    remembered.put(new UnixRoute(local), Remembered.NOTHING);
  }

  private record Remembered(EngineFacts facts, long at) {
    static final Remembered NOTHING = new Remembered(EngineFacts.UNKNOWN, 0);

    boolean holds() {
      return at != 0 && System.nanoTime() - at < FACTS_HOLD.toNanos();
    }
  }

  /** The sockets of all Engines of this machine that were used so far. */
  Set<Path> sockets() {
    return remembered.keySet().stream()
        .filter(UnixRoute.class::isInstance)
        .map(route -> ((UnixRoute) route).socket())
        .collect(Collectors.toSet());
  }

  /** An Engine whose requests end with the call. */
  Engine within(Call call) throws ExtensionException {
    return within(call.host(), call);
  }

  /** The Engine of a host, whatever the call is about. */
  Engine within(HostRef host, Call call) throws ExtensionException {
    return client(host, call, facts(host, call));
  }

  /**
   * What the Engine can do, at most a minute old: it may have been restarted with other options, or
   * another one may answer at its socket.
   */
  EngineFacts facts(Call call) throws ExtensionException {
    return facts(call.host(), call);
  }

  private EngineFacts facts(HostRef host, Call call) throws ExtensionException {
    EngineRoute route = route(host);
    Remembered now = remembered.computeIfAbsent(route, _ -> Remembered.NOTHING);
    if (!now.holds()) {
      now = new Remembered(ask(host, call), System.nanoTime());
      remembered.put(route, now);
    }
    return now.facts();
  }

  /** Forgets, so that a restarted Engine is asked again. */
  void forget(HostRef host) throws ExtensionException {
    forget(route(host));
  }

  private void forget(EngineRoute route) {
    remembered.put(route, Remembered.NOTHING);
  }

  /** The way to the Engine of a host. */
  EngineRoute route(HostRef host) throws ExtensionException {
    return routes.of(host);
  }

  /** Nothing is made by asking, whether an answer came or not. */
  private EngineFacts ask(HostRef host, Call call) throws ExtensionException {
    try {
      return answered(host, call);
    } catch (ExtensionException e) {
      throw new ExtensionException(
          e.code(), Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e.getCause());
    }
  }

  private EngineFacts answered(HostRef host, Call call) throws ExtensionException {
    try (Engine first = client(host, call, EngineFacts.UNKNOWN)) {
      EngineFacts versions =
          first.ask("say its version", docker -> EngineFacts.of(docker.versionCmd().exec()));
      if (!versions.tooOld().isEmpty()) {
        throw new ExtensionException(ErrorCode.UNSUPPORTED, versions.tooOld());
      }
      try (Engine second = client(host, call, versions)) {
        return second.ask(
            "say what it can do", docker -> versions.with(docker.infoCmd().exec(), host));
      }
    }
  }

  private Engine client(HostRef host, Call call, EngineFacts facts) throws ExtensionException {
    EngineRoute route = route(host);
    EngineHttpClient http = new EngineHttpClient(() -> route.open(call), timeout, timer);
    call.onCancel(http::close);
    RemoteApiVersion version = facts.api();
    return new Engine(
        DockerClientImpl.getInstance(new ClientSettings(version, json), http),
        http,
        version.asWebPathPart(),
        host,
        route,
        () -> forget(route));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    routes.close();
  }
}
