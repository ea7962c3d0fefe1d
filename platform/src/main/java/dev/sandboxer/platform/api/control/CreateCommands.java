package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.InputsException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileRecipe;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.CreateCommand;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a checked request into a command: the profile resolved, its values and the request's one.
 */
@ApplicationScoped
class CreateCommands {

  private final ProfileStore profiles;
  private final HostFolders folders;

  CreateCommands(ProfileStore profiles, HostFolders folders) {
    this.profiles = profiles;
    this.folders = folders;
  }

  CreateCommand resolve(Principal principal, CreateRequest request) {
    Profile profile = profile(request);
    checkMounts(principal, profile);
    Map<String, String> environment = new LinkedHashMap<>(profile.env());
    environment.putAll(request.env());
    return new CreateCommand(
        principal.tenantId(),
        principal.keyId(),
        profile.extension(),
        profile.spec(),
        request.asConsumer(),
        ttlSeconds(profile, request),
        profile.idle().toSeconds(),
        request.labels(),
        environment,
        profile.capabilities());
  }

  private Profile profile(CreateRequest request) {
    ProfileRecipe recipe =
        profiles.recipe(request.profile()).orElseThrow(() -> unknown(request.profile()));
    try {
      return recipe.with(request.inputTexts());
    } catch (InputsException e) {
      Profile known = recipe.profile();
      throw invalid("%s@%d: %s".formatted(known.id(), known.version(), e.getMessage()));
    }
  }

  /** Seen again when it is established; here the caller gets the reason at once. */
  private void checkMounts(Principal principal, Profile profile) {
    try {
      var _ = folders.check(principal.tenantId(), profile.mounts());
    } catch (MountRefusedException e) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.VALIDATION,
                  "%s@%d: mounts: %s".formatted(profile.id(), profile.version(), e.getMessage()))
              .with("profile_key", "mounts"));
    }
  }

  private static long ttlSeconds(Profile profile, CreateRequest request) {
    long most = profile.spec().hardTtl().toSeconds();
    long wanted = request.ttlSeconds().orElseGet(() -> profile.ttl().toSeconds());
    if (wanted > most) {
      throw invalid(
          "field 'ttl_seconds' is %d; the profile's hard limit is %s (%d s)"
              .formatted(wanted, Duration.ofSeconds(most), most));
    }
    return wanted;
  }

  private ProblemException unknown(String name) {
    String id = name.startsWith("profile.") ? name : "profile." + name;
    return profiles.list().stream()
        .filter(entry -> entry.id().equals(id) && entry.recipe() == null)
        .flatMap(entry -> Optional.ofNullable(entry.error()).stream())
        .findFirst()
        .map(error -> invalid("profile '%s' cannot be used: %s".formatted(name, error.text())))
        .orElseGet(
            () ->
                invalid(
                    "there is no profile '%s'; there are %s"
                        .formatted(name, String.join(", ", profiles.names()))));
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(
        Problem.of(ErrorCode.VALIDATION, detail)
            .with("example", Example.of(CreateRequest.EXAMPLE)));
  }
}
