package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.LoadedExtension;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.CreateCommand;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Refuses at once what the profile's backend has declared that it can not do: the refusal names the
 * profile's key.
 */
@ApplicationScoped
class Fitness {

  private final ExtensionRegistry extensions;

  Fitness(ExtensionRegistry extensions) {
    this.extensions = extensions;
  }

  /**
   * Checks a create.
   *
   * @param command what is to be made
   * @return the command
   * @throws ProblemException UNSUPPORTED with {@code profile_key}. A backend that is not loaded is
   *     told by the worker, as it may be back then
   */
  CreateCommand check(CreateCommand command) {
    ExtensionDescriptor descriptor = descriptor(command.extensionId());
    Map<String, String> refused =
        descriptor == null ? Map.of() : refused(descriptor, command.spec());
    if (!refused.isEmpty()) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.UNSUPPORTED,
                  "%s can not do what %s wants: %s. Change that, or the profile's extension"
                      .formatted(
                          command.extensionId(),
                          command.spec().profileId(),
                          String.join("; ", refused.values())))
              .with("profile_key", String.join(", ", refused.keySet())));
    }
    return command;
  }

  private @Nullable ExtensionDescriptor descriptor(String id) {
    return extensions.list().stream()
        .filter(extension -> extension.id().equals(id))
        .map(LoadedExtension::descriptor)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Key of the profile to what is wrong with it. */
  private static Map<String, String> refused(ExtensionDescriptor can, SandboxSpec wanted) {
    Map<String, String> refused = new TreeMap<>();
    if (!can.isolationLevels().contains(wanted.isolation())) {
      refused.put(
          "isolation.level", misfit("isolation.level", wanted.isolation(), can.isolationLevels()));
    }
    if (!can.networkModes().contains(wanted.network().mode())) {
      refused.put(
          "network.mode", misfit("network.mode", wanted.network().mode(), can.networkModes()));
    }
    for (Limit limit : Limit.values()) {
      if (limit != Limit.UID
          && !can.limits().contains(limit)
          && !wanted.bestEffort().contains(limit)) {
        String key = "resources." + text(limit);
        refused.put(
            key, key + " is not enforced there; best_effort: [" + text(limit) + "] accepts that");
      }
    }
    return refused;
  }

  private static String misfit(String key, Enum<?> wanted, Collection<? extends Enum<?>> offered) {
    return "%s is %s, and it offers %s"
        .formatted(
            key,
            text(wanted),
            offered.stream().map(Fitness::text).sorted().collect(Collectors.joining(", ")));
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
