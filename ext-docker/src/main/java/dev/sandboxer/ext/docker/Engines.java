package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import dev.sandboxer.ext.docker.wire.UnixHttpClient;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Makes an {@link Engine} for each call, and remembers what the Engine can do. */
final class Engines implements AutoCloseable {

  private static final Duration FACTS_HOLD = Duration.ofSeconds(60);

  private final Path socket;
  private final Duration timeout;
  private final ObjectMapper json = DockerClientConfig.getDefaultObjectMapper();
  private final ScheduledExecutorService timer;
  private volatile Remembered remembered = new Remembered(EngineFacts.UNKNOWN, 0);

  Engines(Path socket, Duration timeout) {
    this.socket = socket;
    this.timeout = timeout;
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("docker timer").factory());
    executor.setRemoveOnCancelPolicy(true);
    this.timer = executor;
  }

  private record Remembered(EngineFacts facts, long at) {
    boolean holds() {
      return at != 0 && System.nanoTime() - at < FACTS_HOLD.toNanos();
    }
  }

  Path socket() {
    return socket;
  }

  /** An Engine whose requests end with the call. */
  Engine within(Call call) throws ExtensionException {
    return client(call, facts(call));
  }

  /**
   * What the Engine can do, at most a minute old: it may have been restarted with other options.
   */
  EngineFacts facts(Call call) throws ExtensionException {
    Remembered now = remembered;
    if (!now.holds()) {
      now = new Remembered(ask(call), System.nanoTime());
      remembered = now;
    }
    return now.facts();
  }

  /** Forgets, so that a restarted Engine is asked again. */
  void forget() {
    remembered = new Remembered(EngineFacts.UNKNOWN, 0);
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

  private Engine client(Call call, EngineFacts facts) {
    UnixHttpClient http = new UnixHttpClient(socket, timeout, timer);
    call.onCancel(http::close);
    RemoteApiVersion version = facts.api();
    return new Engine(
        DockerClientImpl.getInstance(new ClientSettings(socket, version, json), http),
        http,
        version.asWebPathPart(),
        socket,
        this::forget);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
