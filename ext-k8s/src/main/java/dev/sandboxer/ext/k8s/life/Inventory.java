package dev.sandboxer.ext.k8s.life;

import dev.sandboxer.ext.k8s.cluster.Cluster;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.SandboxIdentity;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists this installation's sandboxes of a namespace: first its pods, then policies that have no
 * pod, which is what a broken create left. A cursor is what is listed, and the API server's own.
 */
final class Inventory {

  private static final long PAGE = 250;
  private static final String PODS = "pods ";
  private static final String POLICIES = "policies ";

  private final Labels labels;

  Inventory(Labels labels) {
    this.labels = labels;
  }

  InventoryPage list(Cluster cluster, @Nullable String cursor) throws ExtensionException {
    if (cursor == null) {
      return pods(cluster, null);
    }
    if (cursor.startsWith(PODS)) {
      return pods(cluster, cursor.substring(PODS.length()));
    }
    if (cursor.startsWith(POLICIES)) {
      String token = cursor.substring(POLICIES.length());
      return policies(cluster, token.isEmpty() ? null : token);
    }
    throw new ExtensionException(
        ErrorCode.VALIDATION, "cursor '" + cursor + "' was not issued by this list");
  }

  private InventoryPage pods(Cluster cluster, @Nullable String token) throws ExtensionException {
    PodList page =
        cluster.ask(
            "list pods",
            api ->
                api.pods()
                    .inNamespace(cluster.namespace())
                    .withLabel(Labels.INSTALLATION, labels.installation())
                    .list(options(token)));
    List<InventoryObject> objects = new ArrayList<>();
    page.getItems()
        .forEach(
            pod ->
                labels
                    .owner(pod)
                    .map(owner -> object(owner, pod, pod.getMetadata().getUid()))
                    .ifPresent(objects::add));
    String more = page.getMetadata().getContinue();
    String next = isEnd(more) ? POLICIES : PODS + more;
    return new InventoryPage(scope(cluster), false, objects, next);
  }

  private InventoryPage policies(Cluster cluster, @Nullable String token)
      throws ExtensionException {
    NetworkPolicyList page =
        cluster.ask(
            "list network policies",
            api ->
                api.network()
                    .networkPolicies()
                    .inNamespace(cluster.namespace())
                    .withLabel(Labels.INSTALLATION, labels.installation())
                    .list(options(token)));
    List<InventoryObject> objects = new ArrayList<>();
    for (NetworkPolicy policy : page.getItems()) {
      Optional<SandboxIdentity> owner = labels.owner(policy);
      if (owner.isPresent() && isAlone(cluster, policy)) {
        objects.add(object(owner.get(), policy, ""));
      }
    }
    String more = page.getMetadata().getContinue();
    return isEnd(more)
        ? new InventoryPage(scope(cluster), true, objects, null)
        : new InventoryPage(scope(cluster), false, objects, POLICIES + more);
  }

  private static boolean isAlone(Cluster cluster, NetworkPolicy policy) throws ExtensionException {
    return policy.getMetadata().getOwnerReferences().isEmpty()
        && cluster.pod(cluster.namespace(), policy.getMetadata().getName()).isEmpty();
  }

  private static boolean isEnd(@Nullable String token) {
    return token == null || token.isEmpty();
  }

  private static ListOptions options(@Nullable String token) {
    return new ListOptionsBuilder().withLimit(PAGE).withContinue(token).build();
  }

  private static InventoryObject object(SandboxIdentity owner, HasMetadata object, String pod) {
    return new InventoryObject(
        owner,
        object.getMetadata().getUid(),
        Instant.parse(object.getMetadata().getCreationTimestamp()),
        new PodHandle(owner, object.getMetadata().getNamespace(), pod, "").toHandle());
  }

  private static String scope(Cluster cluster) {
    return "namespace %s of %s".formatted(cluster.namespace(), cluster.settings().address());
  }
}
