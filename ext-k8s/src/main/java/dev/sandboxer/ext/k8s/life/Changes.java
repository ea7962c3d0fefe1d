package dev.sandboxer.ext.k8s.life;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares a pod with what was asked for. Admission of the cluster may add labels and variables,
 * and fetch images from elsewhere; it may not take away what shuts the pod off.
 */
final class Changes {

  private Changes() {}

  /** What is not as asked for, empty if nothing. */
  static List<String> of(Pod asked, Pod made) {
    PodSpec before = asked.getSpec();
    PodSpec now = made.getSpec();
    List<String> changes = new ArrayList<>();
    compare(changes, "containers", before, now, spec -> names(spec.getContainers()));
    compare(changes, "init containers", before, now, spec -> names(spec.getInitContainers()));
    compare(changes, "volumes", before, now, spec -> volumes(spec.getVolumes()));
    compare(changes, "user", before, now, spec -> spec.getSecurityContext().getRunAsUser());
    compare(changes, "group", before, now, spec -> spec.getSecurityContext().getRunAsGroup());
    compare(changes, "seccomp", before, now, spec -> spec.getSecurityContext().getSeccompProfile());
    compare(changes, "token", before, now, PodSpec::getAutomountServiceAccountToken);
    compare(changes, "runtime class", before, now, PodSpec::getRuntimeClassName);
    compare(changes, "host network", before, now, spec -> isSet(spec.getHostNetwork()));
    compare(changes, "host processes", before, now, spec -> isSet(spec.getHostPID()));
    compare(changes, "host IPC", before, now, spec -> isSet(spec.getHostIPC()));
    compare(changes, "hardening", before, now, spec -> each(spec, Changes::hardening));
    compare(changes, "command", before, now, spec -> each(spec, Changes::command));
    compare(
        changes, "limits", before, now, spec -> each(spec, one -> one.getResources().getLimits()));
    return changes;
  }

  private static void compare(
      List<String> changes, String what, PodSpec before, PodSpec now, Function<PodSpec, ?> part) {
    if (!Objects.equals(part.apply(before), part.apply(now))) {
      changes.add(what);
    }
  }

  private static List<String> names(List<Container> containers) {
    return containers.stream().map(Container::getName).toList();
  }

  /** Their names, and whether they are the empty folders and the secret that were asked for. */
  private static Map<String, String> volumes(List<Volume> volumes) {
    return volumes.stream().collect(Collectors.toMap(Volume::getName, Changes::kind));
  }

  private static String kind(Volume volume) {
    if (volume.getSecret() != null) {
      return "secret " + volume.getSecret().getSecretName();
    }
    return volume.getEmptyDir() == null ? "other" : "empty";
  }

  private static boolean isSet(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value);
  }

  private static List<?> each(PodSpec spec, Function<Container, ?> part) {
    List<Object> parts = new ArrayList<>();
    spec.getInitContainers().forEach(one -> parts.add(Optional.ofNullable(part.apply(one))));
    spec.getContainers().forEach(one -> parts.add(Optional.ofNullable(part.apply(one))));
    return parts;
  }

  private static String command(Container container) {
    return container.getCommand() + " " + container.getArgs();
  }

  private static String hardening(Container container) {
    SecurityContext context = container.getSecurityContext();
    return "%s %s %s %s %s %s"
        .formatted(
            context.getRunAsNonRoot(),
            context.getRunAsUser(),
            context.getAllowPrivilegeEscalation(),
            context.getReadOnlyRootFilesystem(),
            context.getPrivileged(),
            context.getCapabilities());
  }
}
