package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectVolumeResponse;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.VolumeOptions;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Brings boxd to an Engine that does not see this machine's files: once for each content, into a
 * volume named by that, through a container that never starts. All installations share it: whoever
 * could put something else there owns the Engine anyway. In the archive the binary comes under
 * another name and is linked to its own last, so what is there is whole.
 */
final class CarriedBoxd {

  static final String LABEL = "dev.sandboxer.boxd";
  private static final String HERE = "/boxd";
  private static final int OK = 200;
  private static final Duration MOST = Duration.ofMinutes(10);

  /** The age from which a container is one that nobody fills any more. */
  private static final Duration LEFT = MOST.multipliedBy(2);

  private static final Duration WAIT = Duration.ofMillis(200);
  private static final int WAITS_A_PROGRESS = 25;

  private final Engines engines;
  private final InstantSource clock;
  private final BoxdArchives archives = new BoxdArchives();

  /** By Engine, volume and the time that it shows, which changes when somebody removes it. */
  private final Map<String, CompletableFuture<Boolean>> whole = new ConcurrentHashMap<>();

  CarriedBoxd(Engines engines, InstantSource clock) {
    this.engines = engines;
    this.clock = clock;
  }

  BoxdFiles.There on(Engine engine, EngineFacts facts, Path binary, Call call)
      throws ExtensionException {
    BoxdArchives.Archive archive = archives.of(binary);
    String name = "sandboxer-boxd-" + archive.sum();
    InspectVolumeResponse volume = volume(engine, name, archive.sum());
    String made = String.valueOf(volume.getRawValues().get("CreatedAt"));
    String key = String.join(" ", facts.id(), engine.name(), name, made);
    CompletableFuture<Boolean> filled =
        whole.computeIfAbsent(key, _ -> filling(call.host(), name, archive));
    try {
      await(filled, call);
    } catch (ExtensionException e) {
      if (filled.isCompletedExceptionally()) {
        whole.remove(key, filled);
      }
      throw e;
    }
    String folder = String.valueOf(volume.getMountpoint());
    return new BoxdFiles.There(
        folder + "/" + BoxdArchives.BINARY, folder + "/" + BoxdArchives.HOSTS);
  }

  /**
   * Several sandboxes may be the first one there and wait for the same. It goes on when one of them
   * is cancelled, so that nothing of it is left.
   */
  private CompletableFuture<Boolean> filling(
      HostRef host, String volume, BoxdArchives.Archive archive) {
    CompletableFuture<Boolean> filled = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("boxd-carrier")
        .start(
            () -> {
              Call own = new OwnCall(host, MOST);
              try (Engine engine = engines.within(own)) {
                fill(engine, volume, archive, own);
                filled.complete(true);
              } catch (ExtensionException | RuntimeException e) {
                filled.completeExceptionally(e);
              }
            });
    return filled;
  }

  private static void await(CompletableFuture<Boolean> filled, Call call)
      throws ExtensionException {
    for (int waits = 1; ; waits++) {
      try {
        var _ = filled.get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        if (call.cancelled()) {
          throw failed(ErrorCode.TIMEOUT, "cancelled while boxd was being brought to the Engine");
        }
        if (waits % WAITS_A_PROGRESS == 0) {
          call.progress(Progress.of("boxd_copy"));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw failed(ErrorCode.TIMEOUT, "cancelled while boxd was being brought to the Engine");
      } catch (ExecutionException e) {
        throw e.getCause() instanceof ExtensionException known
            ? failed(known.code(), String.valueOf(known.getMessage()))
            : failed(ErrorCode.INTERNAL, "boxd was not brought to the Engine: " + e.getCause());
      }
    }
  }

  private static InspectVolumeResponse volume(Engine engine, String name, String sum)
      throws ExtensionException {
    Optional<InspectVolumeResponse> found = look(engine, name);
    if (found.isEmpty()) {
      boolean _ =
          engine.ask(
              "create volume " + name,
              docker ->
                  docker
                          .createVolumeCmd()
                          .withName(name)
                          .withDriver("local")
                          .withLabels(Map.of(LABEL, sum))
                          .exec()
                      != null);
      found = look(engine, name);
    }
    InspectVolumeResponse volume =
        found.orElseThrow(
            () -> failed(ErrorCode.UNAVAILABLE, "volume " + name + " was made and is gone again"));
    @Nullable Map<String, String> labels = volume.getLabels();
    if (!"local".equals(volume.getDriver()) || labels == null || !sum.equals(labels.get(LABEL))) {
      throw failed(
          ErrorCode.VALIDATION,
          "volume %s of the Engine was not made for boxd: it is left alone; rename or remove it"
              .formatted(name));
    }
    return volume;
  }

  private static Optional<InspectVolumeResponse> look(Engine engine, String name)
      throws ExtensionException {
    return engine.find("look at volume " + name, docker -> docker.inspectVolumeCmd(name).exec());
  }

  private void fill(Engine engine, String volume, BoxdArchives.Archive archive, Call call)
      throws ExtensionException {
    clear(engine, call);
    EmptyImage image = EmptyImage.on(engine);
    try {
      String container = container(engine, image, volume);
      try {
        if (size(engine, container) != archive.binaryBytes()) {
          put(engine, container, archive);
        }
      } finally {
        Containers.remove(engine, container, call);
      }
    } finally {
      image.remove();
    }
  }

  /** What a platform left that was killed meanwhile. */
  private void clear(Engine engine, Call call) throws ExtensionException {
    List<Container> all =
        engine.ask(
            "list containers",
            docker ->
                docker
                    .listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(List.of(LABEL))
                    .exec());
    long before = clock.instant().minus(LEFT).getEpochSecond();
    for (Container left : all) {
      if (left.getCreated() < before) {
        Containers.remove(engine, left.getId(), call);
      }
    }
  }

  private String container(Engine engine, EmptyImage image, String volume)
      throws ExtensionException {
    return engine.ask(
        "create a container that brings boxd",
        docker ->
            docker
                .createContainerCmd(image.id())
                .withEntrypoint("none")
                .withNetworkDisabled(true)
                .withLabels(Map.of(LABEL, volume))
                .withHostConfig(
                    new HostConfig()
                        .withNetworkMode("none")
                        .withMounts(
                            List.of(
                                new Mount()
                                    .withType(MountType.VOLUME)
                                    .withSource(volume)
                                    .withTarget(HERE)
                                    .withVolumeOptions(new VolumeOptions().withNoCopy(true)))))
                .exec()
                .getId());
  }

  /** Of the binary in the volume, -1 if it is not there. */
  private static long size(Engine engine, String container) throws ExtensionException {
    return engine
        .ask(
            "look at boxd",
            _ -> ImageLayout.stat(engine, container, HERE + "/" + BoxdArchives.BINARY))
        .path("size")
        .asLong(-1);
  }

  private static void put(Engine engine, String container, BoxdArchives.Archive archive)
      throws ExtensionException {
    byte[] content = archive.content(UUID.randomUUID().toString());
    boolean _ =
        engine.ask(
            "take boxd",
            _ -> {
              try (Response answer =
                  engine.send(
                      "PUT",
                      "/containers/" + container + "/archive?path=" + HERE,
                      Map.of("Content-Type", "application/x-tar"),
                      content)) {
                String said = new String(answer.getBody().readAllBytes(), StandardCharsets.UTF_8);
                if (answer.getStatusCode() != OK) {
                  throw failed(
                      Refusals.outOfDisk(said.toLowerCase(Locale.ROOT))
                          ? ErrorCode.CAPACITY
                          : ErrorCode.UNAVAILABLE,
                      "the Docker Engine at %s could not take boxd: %s"
                          .formatted(engine.name(), said.strip()));
                }
                return true;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private static ExtensionException failed(ErrorCode code, String message) {
    return new ExtensionException(code, Outcome.NOTHING_CREATED, message, null);
  }
}
