package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Refuses what a container cannot be. */
final class Requests {

  private Requests() {}

  /** The image that is asked for. */
  static String check(ProvisionRequest request) throws ExtensionException {
    SandboxSpec spec = request.spec();
    List<String> refused = new ArrayList<>();
    if (spec.isolation() != IsolationLevel.CONTAINER) {
      refused.add(
          "isolation " + spec.isolation() + ": only CONTAINER (isolation.level: container)");
    }
    if (spec.network().mode() != NetworkMode.NONE) {
      refused.add("network " + spec.network().mode() + ": only NONE");
    }
    if (!spec.options().isEmpty()) {
      refused.add("options " + spec.options().keySet() + ": it has none");
    }
    if (request.snapshot().isPresent()) {
      refused.add("a snapshot: it keeps no state");
    }
    if (!refused.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED, "ext.docker cannot do this: " + String.join("; ", refused));
    }
    return image(spec.image());
  }

  private static String image(@Nullable String image) throws ExtensionException {
    if (image == null) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "a container needs an image: add image: <name> to the profile, such as image: debian:13");
    }
    return image;
  }

  /** Limits that go unenforced, all of which the profile must allow. */
  static Set<Limit> notEnforced(SandboxSpec spec, EngineFacts facts) throws ExtensionException {
    Set<Limit> refused = EnumSet.noneOf(Limit.class);
    refused.addAll(facts.notEnforced());
    refused.removeAll(spec.bestEffort());
    if (!refused.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "this Docker Engine cannot enforce %s: give it the control groups it lacks (docker info lists them); 'best_effort: %s' in the profile accepts that"
              .formatted(
                  refused.stream().map(Requests::key).collect(Collectors.joining(", ")),
                  refused.stream().map(Requests::name).toList()));
    }
    return facts.notEnforced();
  }

  private static String key(Limit limit) {
    return "resources." + name(limit);
  }

  private static String name(Limit limit) {
    return limit.name().toLowerCase(Locale.ROOT);
  }
}
