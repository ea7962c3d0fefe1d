package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectVolumeResponse;
import com.github.dockerjava.api.command.ListVolumesResponse;
import com.github.dockerjava.api.exception.ConflictException;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.VolumeInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Volumes: a local volume of the Engine each, with our signature, which holds the disk that
 * sandboxes mount. The Engine's own local volumes have no size of their own, and their files belong
 * to whichever user id wrote them.
 */
final class EngineVolumes {

  private static final String DISK = "disk";
  private static final List<InspectVolumeResponse> NONE = List.of();

  private final ExtensionContext context;
  private final Engines engines;
  private final Labels labels;
  private final HostBoxd boxd;

  /** Whether the platform sees the Engine's volumes at another path, in a container itself. */
  private final boolean apart;

  EngineVolumes(
      ExtensionContext context, Engines engines, Labels labels, HostBoxd boxd, boolean apart) {
    this.context = context;
    this.engines = engines;
    this.labels = labels;
    this.boxd = boxd;
    this.apart = apart;
  }

  /** The disk to mount. */
  Path disk(Engine engine, EngineFacts facts, String id) throws ExtensionException {
    refuse(facts);
    InspectVolumeResponse volume =
        find(engine, id)
            .orElseThrow(
                () ->
                    new ExtensionException(
                        ErrorCode.UNAVAILABLE,
                        "the Engine's volume " + Labels.volume(identity(id)) + " is gone"));
    Path disk = disk(requireOurs(id, volume));
    if (!Files.exists(disk)) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, "the volume's disk " + disk + " is gone from this machine");
    }
    return disk;
  }

  void ensure(String id, long sizeBytes, Call call) throws ExtensionException {
    if (!call.host().sameMachine()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "the Engine of host %s is on another machine, where ext.docker keeps no volumes"
              .formatted(call.host().id()));
    }
    refuse(engines.facts(call));
    try (Engine engine = engines.within(call)) {
      if (find(engine, id).isEmpty()) {
        create(engine, id);
      }
      InspectVolumeResponse volume = requireOurs(id, find(engine, id).orElseThrow());
      Path folder = Path.of(String.valueOf(volume.getMountpoint()));
      if (!Files.isDirectory(folder)) {
        throw new ExtensionException(
            ErrorCode.UNSUPPORTED,
            "the Engine keeps its volumes at %s, which this platform does not see: it must run as root on the same machine"
                .formatted(folder));
      }
      Properties _ =
          boxd.volume(
              call,
              "make",
              "--image",
              disk(volume).toString(),
              "--bytes",
              Long.toString(sizeBytes));
    }
  }

  private void create(Engine engine, String id) throws ExtensionException {
    SandboxIdentity identity = identity(id);
    boolean _ =
        engine.ask(
            "create volume " + Labels.volume(identity),
            docker ->
                docker
                        .createVolumeCmd()
                        .withName(Labels.volume(identity))
                        .withDriver("local")
                        .withLabels(labels.of(identity, Map.of()))
                        .exec()
                    != null);
  }

  void remove(String id, Call call) throws ExtensionException {
    if (!call.host().sameMachine()) {
      return;
    }
    try (Engine engine = engines.within(call)) {
      Optional<InspectVolumeResponse> found = find(engine, id);
      if (found.isEmpty()) {
        return;
      }
      InspectVolumeResponse volume = requireOurs(id, found.get());
      if (Files.exists(disk(volume))) {
        Properties _ = boxd.volume(call, "remove", "--image", disk(volume).toString());
      }
      String name = Labels.volume(identity(id));
      Optional<Boolean> removed =
          engine.find("remove volume " + name, docker -> removed(docker, name));
      if (removed.isPresent() && !removed.get()) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE, "a container uses the Engine's volume " + name);
      }
    }
  }

  private static boolean removed(com.github.dockerjava.api.DockerClient docker, String name) {
    try {
      docker.removeVolumeCmd(name).exec();
      return true;
    } catch (ConflictException e) {
      return false;
    }
  }

  Optional<VolumeInfo> inspect(String id, Call call) throws ExtensionException {
    if (!call.host().sameMachine()) {
      return Optional.empty();
    }
    try (Engine engine = engines.within(call)) {
      Optional<InspectVolumeResponse> found = find(engine, id).filter(one -> ours(id, one));
      if (found.isEmpty() || !Files.exists(disk(found.get()))) {
        return Optional.empty();
      }
      Properties seen = boxd.volume(call, "look", "--image", disk(found.get()).toString());
      return Optional.of(
          new VolumeInfo(
              id,
              Long.parseLong(seen.getProperty("size")),
              OptionalLong.of(Long.parseLong(seen.getProperty("used"))),
              madeAt(found.get().getRawValues().get("CreatedAt"))));
    }
  }

  List<VolumeInfo> list(Call call) throws ExtensionException {
    List<VolumeInfo> volumes = new ArrayList<>();
    if (!call.host().sameMachine()) {
      return volumes;
    }
    try (Engine engine = engines.within(call)) {
      ListVolumesResponse listed = listed(engine);
      Map<String, Object> times = times(listed);
      for (InspectVolumeResponse one : Objects.requireNonNullElse(listed.getVolumes(), NONE)) {
        labels
            .volume(one.getName(), one.getLabels())
            .ifPresent(
                identity ->
                    volumes.add(
                        new VolumeInfo(
                            identity.sandbox(),
                            0,
                            OptionalLong.empty(),
                            madeAt(times.get(one.getName())))));
      }
    }
    return volumes;
  }

  private ListVolumesResponse listed(Engine engine) throws ExtensionException {
    return engine.ask(
        "list volumes",
        docker ->
            docker
                .listVolumesCmd()
                .withFilter("label", List.of(Labels.INSTALLATION + "=" + context.installation()))
                .exec());
  }

  /** When each was made, by name: the library keeps what it has no field for of the whole alone. */
  private static Map<String, Object> times(ListVolumesResponse listed) {
    Map<String, Object> times = new HashMap<>();
    if (listed.getRawValues().get("Volumes") instanceof List<?> volumes) {
      for (Object one : volumes) {
        if (one instanceof Map<?, ?> volume) {
          times.put(String.valueOf(volume.get("Name")), String.valueOf(volume.get("CreatedAt")));
        }
      }
    }
    return times;
  }

  private void refuse(EngineFacts facts) throws ExtensionException {
    if (apart || facts.rootless() || facts.remapped()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "volumes need an Engine that runs as root without userns-remap, and a platform that runs outside of containers");
    }
  }

  private Optional<InspectVolumeResponse> find(Engine engine, String id) throws ExtensionException {
    String name = Labels.volume(identity(id));
    return engine.find("look at volume " + name, docker -> docker.inspectVolumeCmd(name).exec());
  }

  private InspectVolumeResponse requireOurs(String id, InspectVolumeResponse volume)
      throws ExtensionException {
    if (!ours(id, volume)) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "the Engine's volume %s does not carry this installation's signature: it is left alone"
              .formatted(volume.getName()));
    }
    return volume;
  }

  private boolean ours(String id, InspectVolumeResponse volume) {
    return labels
        .volume(volume.getName(), volume.getLabels())
        .filter(identity(id)::equals)
        .isPresent();
  }

  private SandboxIdentity identity(String id) {
    return new SandboxIdentity(context.installation(), id, 1, 1);
  }

  private static Path disk(InspectVolumeResponse volume) {
    return Path.of(String.valueOf(volume.getMountpoint())).resolve(DISK);
  }

  private Instant madeAt(@Nullable Object text) {
    try {
      return OffsetDateTime.parse(String.valueOf(text)).toInstant();
    } catch (DateTimeException e) {
      return context.clock().instant(); // too young to be judged
    }
  }
}
