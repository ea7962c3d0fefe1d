package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotModifiedException;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes containers. The Engine keeps their names unique, so a create either makes the one container
 * of an identity or says that it is there.
 */
final class Provisioning {

  private static final System.Logger LOG = System.getLogger(Provisioning.class.getName());

  private final Engines engines;
  private final Plans plans;
  private final FolderRoots roots;
  private final Containers containers;
  private final ContainerSpecs specs;
  private final HostFolders hostFolders;
  private final VolumeMounts volumes;
  private final ImageLayout layout = new ImageLayout();

  Provisioning(
      Engines engines,
      Plans plans,
      FolderRoots roots,
      Containers containers,
      ContainerSpecs specs,
      HostFolders hostFolders,
      VolumeMounts volumes) {
    this.engines = engines;
    this.plans = plans;
    this.roots = roots;
    this.containers = containers;
    this.specs = specs;
    this.hostFolders = hostFolders;
    this.volumes = volumes;
  }

  /** Finds the image to run. */
  @FunctionalInterface
  interface ImageSource {
    Image find(Engine engine) throws ExtensionException;
  }

  DockerHandle provision(ProvisionRequest request, ImageSource image, Call call)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    try (Engine engine = engines.within(call)) {
      requireShared(request);
      hostFolders.check(request.spec());
      EngineFacts facts = engines.facts(call);
      Set<Limit> notEnforced = Requests.notEnforced(request.spec(), facts);
      if (!call.host().sameMachine() || roots.of(call.host()).exists(identity)) {
        Optional<DockerHandle> earlier = earlier(engine, identity, notEnforced, call);
        if (earlier.isPresent()) {
          return earlier.get();
        }
      }
      Plan plan = plans.of(engine, facts, request, image.find(engine), call);
      Optional<String> created = create(engine, request, plan, call);
      while (created.isEmpty()) {
        freeName(engine, identity, call);
        created = create(engine, request, plan, call);
      }
      String id = created.get();
      call.progress(new Progress("container_created", Map.of("container", id)));
      DockerHandle handle = new DockerHandle(identity, id, notEnforced);
      finish(engine, request, plan, handle, call);
      LOG.log(
          System.Logger.Level.INFO,
          "container started name={0} id={1} image={2}",
          identity.name(),
          id,
          plan.image().id());
      return handle;
    }
  }

  /** What is on another machine sees no files of this one. */
  private static void requireShared(ProvisionRequest request) throws ExtensionException {
    for (Mount mount : request.spec().mounts()) {
      if (!request.host().sameMachine() && !(mount instanceof Mount.Tmpfs)) {
        throw new ExtensionException(
            ErrorCode.UNSUPPORTED,
            "mounts: %s: the Engine of host %s is on another machine, where there are no volumes, and folders get there as copies only"
                .formatted(mount.mountPath(), request.host().id()));
      }
    }
  }

  /**
   * What an earlier call left: a running container is taken, a half-made one removed. Its folder is
   * made first, so there is nothing to take where there is none.
   */
  private Optional<DockerHandle> earlier(
      Engine engine, SandboxIdentity identity, Set<Limit> notEnforced, Call call)
      throws ExtensionException {
    Optional<InspectContainerResponse> found = containers.named(engine, identity);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    InspectContainerResponse container = found.get();
    if (!containers.ours(identity, container)) {
      throw foreign(identity, container.getId());
    }
    if (Boolean.TRUE.equals(container.getState().getRunning())) {
      return Optional.of(new DockerHandle(identity, container.getId(), notEnforced));
    }
    Containers.remove(engine, container.getId(), call);
    return Optional.empty();
  }

  /**
   * The name is taken: by a container whose folder was lost, by a late request of a platform that
   * was killed, or by a stranger, who is left alone.
   */
  private void freeName(Engine engine, SandboxIdentity identity, Call call)
      throws ExtensionException {
    Optional<InspectContainerResponse> taken = containers.named(engine, identity);
    if (taken.isEmpty()) {
      return;
    }
    if (!containers.ours(identity, taken.get())) {
      removeFolder(call.host(), identity);
      throw foreign(identity, taken.get().getId());
    }
    Containers.remove(engine, taken.get().getId(), call);
  }

  private static ExtensionException foreign(SandboxIdentity identity, String id) {
    return new ExtensionException(
        ErrorCode.VALIDATION,
        "container %s has the name %s and does not carry this installation's signature: it is left alone; rename or remove it"
            .formatted(id, Labels.container(identity)));
  }

  /** The new container's id, empty if its name is taken. */
  private Optional<String> create(Engine engine, ProvisionRequest request, Plan plan, Call call)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    if (request.host().sameMachine()) {
      roots.of(request.host()).prepare(identity, request.daemon().config());
    }
    try {
      Map<String, Path> mounted = volumes.mount(engine, plan.facts(), request, call);
      return engine.ask(
          "create the container from image " + plan.image().name(),
          docker -> {
            try {
              return Optional.of(specs.of(docker, request, plan.with(mounted)).exec().getId());
            } catch (ConflictException e) {
              return Optional.empty();
            }
          });
    } catch (ExtensionException e) {
      if (e.outcome() instanceof Outcome.NothingCreated) {
        volumes.clear(identity, call);
        removeFolder(request.host(), identity);
      }
      throw e;
    }
  }

  private void removeFolder(HostRef host, SandboxIdentity identity) {
    if (host.sameMachine()) {
      var _ = roots.of(host).remove(identity);
    }
  }

  /** From here on every failure leaves the container, which its handle names. */
  private void finish(
      Engine engine, ProvisionRequest request, Plan plan, DockerHandle handle, Call call)
      throws ExtensionException {
    try {
      layout.check(engine, handle.container(), plan.image(), targets(request, plan));
      start(engine, handle, plan);
      if (request.spec().mounts().stream().anyMatch(Mount.HostFolder.class::isInstance)) {
        Optional<InspectContainerResponse> started = Containers.look(engine, handle.container());
        if (started.isPresent()) {
          hostFolders.prove(request.spec(), started.get());
        }
      }
      letGo(engine, request, handle, call);
    } catch (ExtensionException e) {
      throw new ExtensionException(
          e.code(), new Outcome.Created(handle.toHandle()), String.valueOf(e.getMessage()), e);
    }
  }

  /** From now on the container alone has its volumes. */
  private void letGo(Engine engine, ProvisionRequest request, DockerHandle handle, Call call)
      throws ExtensionException {
    if (request.spec().mounts().stream().noneMatch(Mount.Volume.class::isInstance)) {
      return;
    }
    Optional<InspectContainerResponse> started = Containers.look(engine, handle.container());
    if (started.isPresent()) {
      volumes.prove(request, started.get());
    }
    volumes.clear(request.identity(), call);
  }

  private static Set<String> targets(ProvisionRequest request, Plan plan) {
    return Stream.concat(
            plan.tmpfs().keySet().stream(), request.spec().mounts().stream().map(Mount::mountPath))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void start(Engine engine, DockerHandle handle, Plan plan)
      throws ExtensionException {
    boolean _ =
        engine.ask(
            "start the container of image " + plan.image().name(),
            docker -> {
              try {
                docker.startContainerCmd(handle.container()).exec();
              } catch (NotModifiedException e) {
                return false; // it runs
              }
              return true;
            });
  }
}
