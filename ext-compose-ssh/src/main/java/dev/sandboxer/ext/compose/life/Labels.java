package dev.sandboxer.ext.compose.life;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The project's name and the labels of everything in it. An image may carry any labels, so an
 * object is ours only with our signature over the identity, and under the name that the identity
 * fixes.
 */
final class Labels {

  static final String INSTALLATION = "dev.sandboxer.installation";
  static final String NAME = "dev.sandboxer.name";
  static final String SIGNATURE = "dev.sandboxer.signature";

  /** The Engine names containers and layers of a build as it likes. */
  static final String BUILD = "dev.sandboxer.build";

  static final String PROJECT = "com.docker.compose.project";
  private static final String SHOWN = "dev.sandboxer.label.";
  private static final int PREFIX = 8;

  private final ExtensionContext context;

  Labels(ExtensionContext context) {
    this.context = context;
  }

  String installation() {
    return context.installation();
  }

  String sign(SandboxIdentity identity) {
    return context.sign(identity);
  }

  static String project(SandboxIdentity identity) {
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

  /** Of each layer of an image that is built, and of containers while it is. */
  Map<String, String> ofBuild(SandboxIdentity identity) {
    Map<String, String> labels = of(identity, Map.of());
    labels.put(BUILD, "true");
    labels.put(PROJECT, project(identity));
    return labels;
  }

  /** Whose an object is, empty if it is not ours. */
  Optional<SandboxIdentity> identity(String object, Map<String, String> labels) {
    return signed(labels).filter(identity -> named(object, project(identity)));
  }

  /** Whose build a layer or a container is of, empty if it is not ours. */
  Optional<SandboxIdentity> built(Map<String, String> labels) {
    return signed(labels).filter(_ -> labels.containsKey(BUILD));
  }

  private Optional<SandboxIdentity> signed(Map<String, String> labels) {
    return context.installation().equals(labels.get(INSTALLATION))
        ? signed(labels.getOrDefault(NAME, ""), labels.getOrDefault(SIGNATURE, ""))
        : Optional.empty();
  }

  /** Containers, networks and volumes have the project's name and a word behind it. */
  static boolean named(String object, String project) {
    return object.startsWith(project + "-") || object.startsWith(project + "_");
  }

  /** The identity of a name, if we have signed it. */
  Optional<SandboxIdentity> signed(String name, String signature) {
    return SandboxIdentity.ofName(context.installation(), name)
        .filter(identity -> context.verify(identity, signature));
  }
}
