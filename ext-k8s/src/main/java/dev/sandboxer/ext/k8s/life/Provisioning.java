package dev.sandboxer.ext.k8s.life;

import dev.sandboxer.ext.k8s.cluster.Cluster;
import dev.sandboxer.ext.k8s.cluster.Deleted;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePolicy;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes a policy, its pod, and the pod its owner. Names that only one can have make one pod of an
 * identity, from however many nodes of the platform it is asked for.
 */
final class Provisioning {

  /** Each one begins after something of that identity was removed, by us or by others. */
  private static final int ROUNDS = 5;

  private final Labels labels;
  private final Specs specs;
  private final Teardown teardown;
  private final BoxdSums boxd = new BoxdSums();

  Provisioning(ImagePolicy images, Labels labels, Teardown teardown) {
    this.labels = labels;
    this.specs = new Specs(labels, images);
    this.teardown = teardown;
  }

  PodHandle provision(Cluster cluster, ProvisionRequest request, ImageName image, Call call)
      throws ExtensionException {
    Set<String> sums = boxd.of(request.daemon());
    PodOf pod =
        secret -> specs.pod(request, image, sums, cluster.settings(), cluster.namespace(), secret);
    for (int round = 0; round < ROUNDS; round++) {
      Optional<PodHandle> made = once(cluster, request, pod, call);
      if (made.isPresent()) {
        return made.get();
      }
      if (call.cancelled()) {
        break;
      }
    }
    throw new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.UNKNOWN,
        "pod %s was removed each time while it was made".formatted(Labels.name(request.identity())),
        null);
  }

  /** What to make, once it is known which secret goes with it. */
  private interface PodOf {
    Pod with(Optional<String> secret);
  }

  /** Empty if what is left of an earlier one had to be removed first. */
  private Optional<PodHandle> once(
      Cluster cluster, ProvisionRequest request, PodOf wanted, Call call)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    Optional<NetworkPolicy> made =
        cluster.create(specs.policy(identity, cluster.settings(), cluster.namespace()));
    NetworkPolicy policy;
    if (made.isPresent()) {
      policy = made.get();
      call.progress(Progress.of("policy"));
    } else {
      Optional<NetworkPolicy> found = found(cluster, identity);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      policy = found.get();
      if (isOwned(policy)) {
        return adopted(cluster, identity, policy, call);
      }
    }
    Optional<String> secret = secret(cluster, request, policy, made);
    Pod pod = pod(cluster, identity, wanted.with(secret), made, call);
    if (new PodState(pod).end().isPresent()) {
      teardown.of(cluster, identity, cluster.namespace(), call);
      return Optional.empty();
    }
    return bound(cluster, identity, policy, pod, call);
  }

  /** The secret's name; one that is there already is of an earlier try with the same policy. */
  private Optional<String> secret(
      Cluster cluster, ProvisionRequest request, NetworkPolicy policy, Optional<NetworkPolicy> made)
      throws ExtensionException {
    if (cluster.settings().platform().isEmpty()) {
      return Optional.empty();
    }
    Secret secret = specs.secret(request.identity(), policy, request.daemon());
    try {
      Optional<Secret> _ = cluster.create(secret);
    } catch (ExtensionException e) {
      throw refused(cluster, made, e);
    }
    return Optional.of(secret.getMetadata().getName());
  }

  private Optional<NetworkPolicy> found(Cluster cluster, SandboxIdentity identity)
      throws ExtensionException {
    Optional<NetworkPolicy> found = cluster.policy(cluster.namespace(), Labels.name(identity));
    if (found.isPresent() && !labels.ours(identity, found.get())) {
      throw foreign(found.get());
    }
    return found;
  }

  private static boolean isOwned(NetworkPolicy policy) {
    return !policy.getMetadata().getOwnerReferences().isEmpty();
  }

  /** An owner's policy goes with it, so it must not become another pod's. */
  private Optional<PodHandle> adopted(
      Cluster cluster, SandboxIdentity identity, NetworkPolicy policy, Call call)
      throws ExtensionException {
    Optional<Pod> pod =
        cluster
            .pod(cluster.namespace(), Labels.name(identity))
            .filter(one -> labels.ours(identity, one))
            .filter(one -> owns(one, policy))
            .filter(one -> new PodState(one).end().isEmpty());
    if (pod.isEmpty()) {
      teardown.of(cluster, identity, cluster.namespace(), call);
      return Optional.empty();
    }
    return Optional.of(handle(identity, pod.get(), policy));
  }

  private static boolean owns(Pod pod, NetworkPolicy policy) {
    return policy.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getUid().equals(pod.getMetadata().getUid()));
  }

  private Pod pod(
      Cluster cluster,
      SandboxIdentity identity,
      Pod wanted,
      Optional<NetworkPolicy> made,
      Call call)
      throws ExtensionException {
    Optional<Pod> pod;
    try {
      pod = cluster.create(wanted);
      call.progress(Progress.of("pod"));
      if (pod.isPresent()) {
        refuseChanges(cluster, identity, wanted, pod.get(), call);
      } else {
        pod = cluster.pod(cluster.namespace(), Labels.name(identity));
        if (pod.isPresent() && !labels.ours(identity, pod.get())) {
          throw foreign(pod.get());
        }
      }
    } catch (ExtensionException e) {
      throw refused(cluster, made, e);
    }
    return pod.orElseThrow(
        () ->
            new ExtensionException(
                ErrorCode.UNAVAILABLE,
                Outcome.UNKNOWN,
                "pod %s was there and is gone again".formatted(Labels.name(identity)),
                null));
  }

  private void refuseChanges(
      Cluster cluster, SandboxIdentity identity, Pod wanted, Pod made, Call call)
      throws ExtensionException {
    List<String> changes = Changes.of(wanted, made);
    if (changes.isEmpty()) {
      return;
    }
    boolean clean = teardown.of(cluster, identity, cluster.namespace(), call).clean();
    throw new ExtensionException(
        ErrorCode.VALIDATION,
        clean
            ? Outcome.NOTHING_CREATED
            : new Outcome.Created(PodHandle.of(identity, made).toHandle()),
        "pod %s was changed by the cluster's admission, which may not be: %s; have it leave out namespace %s"
            .formatted(made.getMetadata().getName(), changes, cluster.namespace()),
        null);
  }

  /** Without a pod its policy goes too, where this call has made it. */
  private static ExtensionException refused(
      Cluster cluster, Optional<NetworkPolicy> made, ExtensionException cause) {
    if (cause.outcome() instanceof Outcome.NothingCreated && made.isPresent()) {
      try {
        Deleted _ = cluster.delete(made.get(), 0);
        return cause;
      } catch (ExtensionException e) {
        cause.addSuppressed(e);
      }
    }
    return Failures.with(Outcome.UNKNOWN, cause);
  }

  /** A pod never lives without its policy. */
  private Optional<PodHandle> bound(
      Cluster cluster, SandboxIdentity identity, NetworkPolicy policy, Pod pod, Call call)
      throws ExtensionException {
    PodHandle handle = handle(identity, pod, policy);
    boolean bound;
    try {
      bound = cluster.own(policy, pod);
    } catch (ExtensionException e) {
      throw Failures.created(handle, e);
    }
    if (!bound) {
      teardown.of(cluster, identity, cluster.namespace(), call);
      return Optional.empty();
    }
    return Optional.of(handle);
  }

  private static PodHandle handle(SandboxIdentity identity, Pod pod, NetworkPolicy policy) {
    return PodHandle.of(identity, pod).withPolicy(policy.getMetadata().getUid());
  }

  private static ExtensionException foreign(HasMetadata object) {
    return new ExtensionException(
        ErrorCode.VALIDATION,
        "%s %s does not carry this installation's signature, and has the name that the sandbox needs: it is left alone"
            .formatted(object.getKind(), object.getMetadata().getName()));
  }
}
