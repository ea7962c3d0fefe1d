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
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings boxd to an Engine that does not see this machine's files: once for each content, into a
 * volume with our signature, through a container that never starts. In the archive the binary comes
 * under another name and is linked to its own last, so what is there is whole.
 */
final class CarriedBoxd {

  static final String LABEL = "dev.sandboxer.boxd";
  private static final String HERE = "/boxd";
  private static final int PREFIX = 8;
  private static final int OK = 200;
  private static final Duration LEFT = Duration.ofMinutes(10);

  private final ExtensionContext context;
  private final Labels labels;
  private final BoxdArchives archives = new BoxdArchives();

  /** Engine, volume and the time at which it was made: those that were seen to be whole. */
  private final Set<String> whole = ConcurrentHashMap.newKeySet();

  /** Several sandboxes may be the first one there. */
  private final ReentrantLock one = new ReentrantLock();

  CarriedBoxd(ExtensionContext context, Labels labels) {
    this.context = context;
    this.labels = labels;
  }

  BoxdFiles.There on(Engine engine, EngineFacts facts, Path binary, Call call)
      throws ExtensionException {
    BoxdArchives.Archive archive = archives.of(binary);
    SandboxIdentity identity =
        new SandboxIdentity(context.installation(), "boxd" + archive.sum(), 1, 1);
    String name = name(identity);
    InspectVolumeResponse volume = volume(engine, identity, name);
    String key = facts.id() + " " + name + " " + volume.getRawValues().get("CreatedAt");
    if (!whole.contains(key)) {
      one.lock();
      try {
        if (!whole.contains(key)) {
          fill(engine, name, archive, call);
          whole.add(key);
        }
      } finally {
        one.unlock();
      }
    }
    String folder = String.valueOf(volume.getMountpoint());
    return new BoxdFiles.There(
        folder + "/" + BoxdArchives.BINARY, folder + "/" + BoxdArchives.HOSTS);
  }

  /** No name of a sandbox's volume. */
  private static String name(SandboxIdentity identity) {
    return "sandboxer-%s-%s-files"
        .formatted(identity.installation().substring(0, PREFIX), identity.sandbox());
  }

  private InspectVolumeResponse volume(Engine engine, SandboxIdentity identity, String name)
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
                          .withLabels(labels(identity))
                          .exec()
                      != null);
      found = look(engine, name);
    }
    InspectVolumeResponse volume =
        found.orElseThrow(
            () -> failed(ErrorCode.UNAVAILABLE, "volume " + name + " was made and is gone again"));
    boolean ours = labels.signed(volume.getLabels()).filter(identity::equals).isPresent();
    if (!ours || !"local".equals(volume.getDriver())) {
      throw failed(
          ErrorCode.VALIDATION,
          "volume %s of the Engine does not carry this installation's signature: it is left alone; rename or remove it"
              .formatted(name));
    }
    return volume;
  }

  private static Optional<InspectVolumeResponse> look(Engine engine, String name)
      throws ExtensionException {
    return engine.find("look at volume " + name, docker -> docker.inspectVolumeCmd(name).exec());
  }

  private Map<String, String> labels(SandboxIdentity identity) {
    Map<String, String> all = labels.of(identity, Map.of());
    all.put(LABEL, identity.installation());
    return all;
  }

  private void fill(Engine engine, String volume, BoxdArchives.Archive archive, Call call)
      throws ExtensionException {
    clear(engine, call);
    EmptyImage image = EmptyImage.on(engine);
    try {
      String container = container(engine, image, volume);
      try {
        if (size(engine, container) != archive.binaryBytes()) {
          call.progress(Progress.of("boxd_copied"));
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
                    .withLabelFilter(Map.of(LABEL, context.installation()))
                    .exec());
    long before = context.clock().instant().minus(LEFT).getEpochSecond();
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
                .withLabels(Map.of(LABEL, context.installation()))
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
                      Refusals.outOfDisk(said) ? ErrorCode.CAPACITY : ErrorCode.UNAVAILABLE,
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
