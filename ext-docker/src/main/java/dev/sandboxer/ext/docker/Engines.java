package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import dev.sandboxer.ext.docker.wire.UnixHttpClient;
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

/**
 * Makes an {@link Engine} for each call, the one of the call's host, and remembers what each Engine
 * can do.
 */
final class Engines implements AutoCloseable {

  private static final Duration FACTS_HOLD = Duration.ofSeconds(60);

  private final Path local;
  private final Duration timeout;
  private final ObjectMapper json = DockerClientConfig.getDefaultObjectMapper();
  private final ScheduledExecutorService timer;

  /** By socket, for as long as the extension lives: a host's address rarely changes. */
  private final Map<Path, Remembered> remembered = new ConcurrentHashMap<>();

  /**
   * None is known yet.
   *
   * @param local the socket of the Engine of hosts whose address is {@code local}
   * @param timeout how long an Engine may take to answer a request
   */
  Engines(Path local, Duration timeout) {
    this.local = local;
    this.timeout = timeout;
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("docker timer").factory());
    executor.setRemoveOnCancelPolicy(true);
    this.timer = executor;
    remembered.put(local, Remembered.NOTHING);
  }

  private record Remembered(EngineFacts facts, long at) {
    static final Remembered NOTHING = new Remembered(EngineFacts.UNKNOWN, 0);

    boolean holds() {
      return at != 0 && System.nanoTime() - at < FACTS_HOLD.toNanos();
    }
  }

  /** The sockets of all Engines that were used so far. */
  Set<Path> sockets() {
    return Set.copyOf(remembered.keySet());
  }

  /** An Engine whose requests end with the call. */
  Engine within(Call call) throws ExtensionException {
    return client(call, facts(call));
  }

  /**
   * What the Engine can do, at most a minute old: it may have been restarted with other options, or
   * another one may answer at its socket.
   */
  EngineFacts facts(Call call) throws ExtensionException {
    Path socket = socket(call.host());
    Remembered now = remembered.computeIfAbsent(socket, _ -> Remembered.NOTHING);
    if (!now.holds()) {
      now = new Remembered(ask(call), System.nanoTime());
      remembered.put(socket, now);
    }
    return now.facts();
  }

  /** Forgets, so that a restarted Engine is asked again. */
  void forget(HostRef host) throws ExtensionException {
    forget(socket(host));
  }

  private void forget(Path socket) {
    remembered.put(socket, Remembered.NOTHING);
  }

  /** Where the Engine of a host answers. */
  Path socket(HostRef host) throws ExtensionException {
    return host.local() ? local : EngineAddress.socket(host);
  }

  /** Nothing is made by asking, whether an answer came or not. */
  private EngineFacts ask(Call call) throws ExtensionException {
    try {
      return answered(call);
    } catch (ExtensionException e) {
      throw new ExtensionException(
          e.code(), Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e.getCause());
    }
  }

  private EngineFacts answered(Call call) throws ExtensionException {
    try (Engine first = client(call, EngineFacts.UNKNOWN)) {
      EngineFacts versions =
          first.ask("say its version", docker -> EngineFacts.of(docker.versionCmd().exec()));
      if (!versions.tooOld().isEmpty()) {
        throw new ExtensionException(ErrorCode.UNSUPPORTED, versions.tooOld());
      }
      try (Engine second = client(call, versions)) {
        return second.ask("say what it can do", docker -> versions.with(docker.infoCmd().exec()));
      }
    }
  }

  private Engine client(Call call, EngineFacts facts) throws ExtensionException {
    HostRef host = call.host();
    Path socket = socket(host);
    UnixHttpClient http = new UnixHttpClient(socket, timeout, timer);
    call.onCancel(http::close);
    RemoteApiVersion version = facts.api();
    return new Engine(
        DockerClientImpl.getInstance(new ClientSettings(socket, version, json), http),
        http,
        version.asWebPathPart(),
        host,
        socket,
        () -> forget(socket));
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
