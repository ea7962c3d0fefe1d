package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The metadata of our sandboxes. Several may have the same: E2B keeps no name unique. One is ours
 * only with our signature over the identity.
 */
final class Labels {

  private static final String INSTALLATION = "sandboxer-installation";
  private static final String NAME = "sandboxer-name";
  private static final String SIGNATURE = "sandboxer-signature";
  private static final String BEST_EFFORT = "sandboxer-best-effort";
  private static final String SHOWN = "sandboxer-label-";

  private final ExtensionContext context;

  Labels(ExtensionContext context) {
    this.context = context;
  }

  /** In alphabetical order: a create that is repeated must be the same text. */
  Map<String, String> of(SandboxIdentity identity, SandboxSpec spec) {
    Map<String, String> labels = new TreeMap<>(searched(identity));
    spec.labels().forEach((name, value) -> labels.put(SHOWN + name, value));
    labels.put(SIGNATURE, context.sign(identity));
    labels.put(
        BEST_EFFORT,
        spec.bestEffort().stream().map(Limit::name).sorted().collect(Collectors.joining(",")));
    return labels;
  }

  Map<String, String> ofInstallation() {
    return Map.of(INSTALLATION, context.installation());
  }

  Map<String, String> searched(SandboxIdentity identity) {
    return new TreeMap<>(Map.of(INSTALLATION, identity.installation(), NAME, identity.name()));
  }

  /** Whose it is, empty if it is not ours. */
  Optional<SandboxIdentity> owner(Remote remote) {
    Map<String, String> labels = remote.metadata();
    return context.installation().equals(labels.get(INSTALLATION))
        ? SandboxIdentity.ofName(context.installation(), labels.getOrDefault(NAME, ""))
            .filter(one -> context.verify(one, labels.getOrDefault(SIGNATURE, "")))
        : Optional.empty();
  }

  static Set<Limit> bestEffort(Remote remote) {
    Set<Limit> limits = EnumSet.noneOf(Limit.class);
    String text = "," + remote.metadata().getOrDefault(BEST_EFFORT, "") + ",";
    for (Limit limit : Limit.values()) {
      if (text.contains("," + limit.name() + ",")) {
        limits.add(limit);
      }
    }
    return limits;
  }
}
