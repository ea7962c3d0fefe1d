package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileEntry;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.CreateCommand;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns a checked request into a command: the profile resolved, its values and the request's one.
 */
@ApplicationScoped
class CreateCommands {

  private final ProfileStore profiles;

  CreateCommands(ProfileStore profiles) {
    this.profiles = profiles;
  }

  CreateCommand resolve(Principal principal, CreateRequest request) {
    Profile profile =
        profiles.find(request.profile()).orElseThrow(() -> unknown(request.profile()));
    Map<String, String> environment = new LinkedHashMap<>(profile.env());
    environment.putAll(request.env());
    return new CreateCommand(
        principal.tenantId(),
        principal.keyId(),
        profile.extension(),
        profile.spec(),
        request.asConsumer(),
        ttlSeconds(profile, request),
        request.labels(),
        environment);
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
    List<String> names = profiles.list().stream().map(ProfileEntry::id).distinct().toList();
    return invalid("there is no profile '%s'; there are %s".formatted(name, names));
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(
        Problem.of(ErrorCode.VALIDATION, detail)
            .with("example", Example.of(CreateRequest.EXAMPLE)));
  }
}
