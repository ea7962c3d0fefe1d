package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.BindPropagation;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes what the Engine shall make. Nothing is left to the image or to the Engine's defaults. */
final class ContainerSpecs {

  private static final int OOM_SCORE = 500; // before the platform, should the host run out
  private static final int NANO_DIGITS = 9;

  /** These bring up the loopback of a network that the Engine has no part in. */
  private static final Set<String> LOOPBACK = Set.of("runc", "io.containerd.runc.v2", "crun");

  /**
   * Of what outlives processes beside files: shared memory ends with its last user, queues and
   * semaphores are few.
   */
  private static final Map<String, String> IPC =
      Map.of(
          "kernel.shm_rmid_forced", "1", "kernel.msgmni", "32", "kernel.sem", "250 32000 100 128");

  private final Labels labels;
  private final Seccomp seccomp;

  ContainerSpecs(Labels labels, Seccomp seccomp) {
    this.labels = labels;
    this.seccomp = seccomp;
  }

  CreateContainerCmd of(DockerClient docker, ProvisionRequest request, Plan plan) {
    return docker
        .createContainerCmd(plan.image().id())
        .withName(Labels.container(request.identity()))
        .withHostName(Inside.HOSTNAME)
        .withNetworkDisabled(bringsUpLoopback(request, plan.facts()))
        .withLabels(labels.of(request.identity(), request.spec().labels()))
        .withEntrypoint(Inside.BOXD)
        .withCmd(command(request, plan))
        .withEnv(List.of())
        .withUser(plan.uid() + ":" + plan.uid())
        .withWorkingDir(Inside.WORKSPACE)
        .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
        .withStopSignal("SIGTERM")
        .withAttachStdin(false)
        .withAttachStdout(false)
        .withAttachStderr(false)
        .withStdinOpen(false)
        .withTty(false)
        .withHostConfig(host(request, plan));
  }

  /**
   * Whether the Engine may stay out of the container's network, of which there is only a loopback.
   * It would start two programs of its own for that, which takes as long as all the rest.
   */
  private static boolean bringsUpLoopback(ProvisionRequest request, EngineFacts facts) {
    String asked = request.spec().runtime();
    return LOOPBACK.contains(asked == null ? facts.defaultRuntime() : asked);
  }

  private static List<String> command(ProvisionRequest request, Plan plan) {
    List<String> command = new ArrayList<>(request.daemon().arguments());
    command.addAll(
        switch (plan.files()) {
          case BoxdFiles.Here _ ->
              List.of("--config", Inside.CONFIG, "--listen", "unix:" + Inside.SOCKET);
          case BoxdFiles.There _ ->
              List.of(
                  "--config-text",
                  new String(request.daemon().config(), StandardCharsets.UTF_8),
                  "--listen",
                  Inside.NAMED_SOCKET);
        });
    return command;
  }

  private HostConfig host(ProvisionRequest request, Plan plan) {
    Resources resources = request.spec().resources();
    HostConfig host =
        new HardenedHost()
            .withNetworkMode("none")
            .withCapDrop(Capability.ALL)
            .withSecurityOpts(seccomp.options(plan.facts()))
            .withPrivileged(false)
            .withReadonlyRootfs(true)
            .withIpcMode("private")
            .withCgroupnsMode("private")
            .withInit(false)
            .withRestartPolicy(RestartPolicy.noRestart())
            .withLogConfig(new LogConfig(LogConfig.LoggingType.NONE))
            .withOomScoreAdj(OOM_SCORE)
            .withMemory(resources.memoryBytes())
            .withMemorySwap(resources.memoryBytes())
            .withPidsLimit((long) resources.pids() + reserved(plan))
            .withNanoCPUs(nano(resources.cpus()))
            .withUlimits(ulimits(resources))
            .withTmpFs(plan.tmpfs())
            .withSysctls(IPC)
            .withMounts(mounts(request, plan));
    String runtime = request.spec().runtime();
    return runtime == null ? host : host.withRuntime(runtime);
  }

  private static int reserved(Plan plan) {
    return switch (plan.files()) {
      case BoxdFiles.Here _ -> Daemon.RESERVED_PIDS;
      case BoxdFiles.There _ -> Daemon.RESERVED_PIDS + BoxdOpener.STREAMS * BoxdOpener.THREADS;
    };
  }

  private static long nano(BigDecimal cpus) {
    return cpus.movePointRight(NANO_DIGITS).setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** A core dump of one byte: none at all would still feed a core_pattern that is a pipe. */
  private static List<Ulimit> ulimits(Resources resources) {
    return List.of(
        new Ulimit("core", 1L, 1L),
        new Ulimit("nofile", (long) resources.openFiles(), (long) resources.openFiles()),
        new Ulimit("memlock", 8L << 20, 8L << 20),
        new Ulimit("msgqueue", 819_200L, 819_200L),
        new Ulimit("sigpending", 4096L, 4096L),
        new Ulimit("rtprio", 0L, 0L),
        new Ulimit("nice", 0L, 0L));
  }

  private static List<Mount> mounts(ProvisionRequest request, Plan plan) {
    List<Mount> mounts = new ArrayList<>();
    BoxdFiles files = plan.files();
    mounts.add(bind(files.boxd(), Inside.BOXD, false, files.propagation()));
    if (bringsUpLoopback(request, plan.facts())) {
      mounts.add(bind(files.hosts(), Inside.HOSTS, false, files.propagation()));
    }
    if (files instanceof BoxdFiles.Here here) {
      mounts.add(bind(here.config(), Inside.CONFIG, false, here.propagation()));
      mounts.add(bind(here.shared(), Inside.SHARED, true, here.propagation()));
    }
    for (dev.sandboxer.spi.Mount mount : request.spec().mounts()) {
      if (mount instanceof dev.sandboxer.spi.Mount.HostFolder folder) {
        mounts.add(
            bind(
                folder.hostPath(),
                folder.mountPath(),
                folder.writable(),
                BindPropagation.R_PRIVATE));
      }
      if (mount instanceof dev.sandboxer.spi.Mount.Volume volume) {
        mounts.add(
            bind(
                String.valueOf(plan.volumes().get(volume.mountPath())),
                volume.mountPath(),
                volume.writable(),
                BindPropagation.R_PRIVATE));
      }
    }
    return mounts;
  }

  private static Mount bind(
      String source, String target, boolean writable, BindPropagation propagation) {
    return new Mount()
        .withType(MountType.BIND)
        .withSource(source)
        .withTarget(target)
        .withReadOnly(!writable)
        .withBindOptions(new FlatBind().withPropagation(propagation));
  }
}
