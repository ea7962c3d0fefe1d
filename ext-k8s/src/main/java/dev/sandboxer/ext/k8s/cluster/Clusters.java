package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All clusters; what is done on one shares its client. Thread-safe. */
public final class Clusters implements AutoCloseable {

  private final String installation;
  private final Map<String, Cluster> byHost = new HashMap<>();

  /**
   * Connects to nobody yet.
   *
   * @param installation whose sandboxes these are
   */
  public Clusters(String installation) {
    this.installation = installation;
  }

  /**
   * The cluster that a call is about.
   *
   * @param call with its host
   * @return the cluster
   * @throws ExtensionException VALIDATION if the host's address, settings or kubeconfig are wrong
   */
  public Cluster of(Call call) throws ExtensionException {
    return of(call.host());
  }

  /** One client for a host; another one once its settings or its kubeconfig have changed. */
  synchronized Cluster of(HostRef host) throws ExtensionException {
    ClusterSettings settings = ClusterSettings.of(host);
    Cluster known = byHost.get(host.id());
    if (known != null && known.settings().equals(settings)) {
      return known;
    }
    Cluster made = connect(settings);
    byHost.put(host.id(), made);
    if (known != null) {
      known.retire();
    }
    return made;
  }

  private Cluster connect(ClusterSettings settings) throws ExtensionException {
    Config config = Kubeconfigs.read(settings);
    String namespace =
        settings
            .namespace()
            .or(() -> Optional.ofNullable(config.getNamespace()))
            .orElseThrow(
                () ->
                    new ExtensionException(
                        ErrorCode.VALIDATION,
                        "host %s has no settings.namespace, and its kubeconfig names none either"
                            .formatted(settings.host())));
    StreamClient streams = StreamClient.of(config);
    return new Cluster(settings, namespace, installation, client(config), streams);
  }

  /** The client finds parts of itself by the context class loader. */
  private static KubernetesClient client(Config config) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(Clusters.class.getClassLoader());
    try {
      return new KubernetesClientBuilder()
          .withConfig(config)
          .withHttpClientFactory(new JdkHttpClientFactory())
          .build();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public void close() {
    List<Cluster> all;
    synchronized (this) {
      all = new ArrayList<>(byHost.values());
      byHost.clear();
    }
    all.forEach(Cluster::close);
  }
}
