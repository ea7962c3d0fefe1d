package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.mount.CallerMounts;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One version of a profile; immutable once it was used.
 *
 * @param id {@code profile.<name>}
 * @param version from 1
 * @param description for people, empty if there is none
 * @param routing where it may run, and in which order places are tried
 * @param callerRouting whether a request may narrow that
 * @param image of the root file system, null where the backend needs none
 * @param isolation level to establish
 * @param runtime container runtime, null for the backend's default
 * @param resources limits
 * @param limits of boxd that are set, by its names
 * @param network what may be reached
 * @param mounts what is mounted, in order
 * @param callerMounts what a request may mount besides
 * @param options what only the extension understands, see {@link SandboxSpec#options()}
 * @param env for every process inside
 * @param secretRefs secrets, by reference
 * @param setup what is run once, before its sandboxes
 * @param ttl how long a sandbox lives unless extended
 * @param idle how long a sandbox lives that nobody uses
 * @param hardTtl how long it lives at most
 * @param labels of every sandbox
 * @param capabilities that tokens for its sandboxes may have at most
 * @param bestEffort limits that may go unenforced if that is said
 */
public record Profile(
    String id,
    int version,
    String description,
    Routing routing,
    boolean callerRouting,
    @Nullable String image,
    IsolationLevel isolation,
    @Nullable String runtime,
    Resources resources,
    Map<String, Long> limits,
    Network network,
    List<Mount> mounts,
    CallerMounts callerMounts,
    Map<String, Object> options,
    Map<String, String> env,
    List<SecretRef> secretRefs,
    Setup setup,
    Duration ttl,
    Duration idle,
    Duration hardTtl,
    Map<String, String> labels,
    Set<Capability> capabilities,
    Set<Limit> bestEffort) {

  /** Where secrets are that programs read as files. */
  public static final String SECRETS = "/run/secrets";

  private static final long SECRETS_BYTES = 4 << 20;

  /** Keeps immutable copies. */
  public Profile {
    limits = Map.copyOf(limits);
    mounts = List.copyOf(mounts);
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    env = Map.copyOf(env);
    secretRefs = List.copyOf(secretRefs);
    labels = Map.copyOf(labels);
    capabilities = Set.copyOf(capabilities);
    bestEffort = Set.copyOf(bestEffort);
  }

  /**
   * Which backends it names.
   *
   * @return in their order; empty for all that are there
   */
  public List<ExtensionId> candidates() {
    return routing.extensions();
  }

  /**
   * What a backend is asked for by a create without mounts of its own.
   *
   * @return the resolved spec
   */
  public SandboxSpec spec() {
    return spec(mounts);
  }

  /**
   * What a backend is asked for. Environment, TTL and idle time are the platform's business.
   *
   * @param all what is mounted: the profile's mounts, and those of a request
   * @return the resolved spec
   */
  public SandboxSpec spec(List<Mount> all) {
    return SandboxSpec.builder(id, version, isolation, resources, hardTtl)
        .image(image)
        .runtime(runtime)
        .network(network)
        .mounts(withSecrets(all))
        .labels(labels)
        .bestEffort(bestEffort)
        .options(options)
        .build();
  }

  /** Files of secrets, and of authorities to trust, are in memory only. */
  private List<Mount> withSecrets(List<Mount> all) {
    boolean files = secretRefs.stream().anyMatch(SecretRef::needsFiles);
    boolean intercepted = network.allow().stream().anyMatch(host -> !host.methods().isEmpty());
    if (!files && !intercepted) {
      return all;
    }
    List<Mount> mounts = new ArrayList<>(all);
    mounts.add(new Mount.Tmpfs(SECRETS_BYTES, SECRETS));
    return mounts;
  }
}
