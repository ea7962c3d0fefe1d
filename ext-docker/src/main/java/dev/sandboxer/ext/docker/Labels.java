package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The name and labels of a container. An image may carry any labels, so a container is ours only
 * with our signature over the identity and, as a committed image could bring that too, under the
 * name that the identity fixes.
 */
final class Labels {

  static final String INSTALLATION = "dev.sandboxer.installation";
  static final String NAME = "dev.sandboxer.name";
  static final String SIGNATURE = "dev.sandboxer.signature";
  private static final String SHOWN = "dev.sandboxer.label.";
  private static final int PREFIX = 8;

  private final ExtensionContext context;

  Labels(ExtensionContext context) {
    this.context = context;
  }

  static String container(SandboxIdentity identity) {
    return "sandboxer-" + identity.installation().substring(0, PREFIX) + "-" + identity.name();
  }

  Map<String, String> of(SandboxIdentity identity, Map<String, String> shown) {
    Map<String, String> labels = new TreeMap<>();
    shown.forEach((name, value) -> labels.put(SHOWN + name, value));
    labels.put(INSTALLATION, identity.installation());
    labels.put(NAME, identity.name());
    labels.put(SIGNATURE, context.sign(identity));
    return labels;
  }

  /** Whose a container is, empty if it is not ours. */
  Optional<SandboxIdentity> identity(String containerName, @Nullable Map<String, String> labels) {
    return signed(labels).filter(identity -> containerName.equals("/" + container(identity)));
  }

  private Optional<SandboxIdentity> signed(@Nullable Map<String, String> labels) {
    if (labels == null || !context.installation().equals(labels.get(INSTALLATION))) {
      return Optional.empty();
    }
    return parse(context.installation(), labels.getOrDefault(NAME, ""))
        .filter(identity -> context.verify(identity, labels.getOrDefault(SIGNATURE, "")));
  }

  /** What the Engine calls a volume; its identity has generation 1 and attempt 1. */
  static String volume(SandboxIdentity identity) {
    return "sandboxer-" + identity.installation().substring(0, PREFIX) + "-" + identity.sandbox();
  }

  /** Whose a volume is, empty if it is not ours. */
  Optional<SandboxIdentity> volume(String name, @Nullable Map<String, String> labels) {
    return signed(labels).filter(identity -> name.equals(volume(identity)));
  }

  /** The identity that {@link SandboxIdentity#name()} says. */
  static Optional<SandboxIdentity> parse(String installation, String name) {
    String[] parts = name.split("-", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new SandboxIdentity(
              installation, parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2])));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
