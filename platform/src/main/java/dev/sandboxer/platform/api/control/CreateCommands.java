package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns a checked request into a command: the profile resolved, its values and the request's one.
 */
@ApplicationScoped
class CreateCommands {

  private static final Pattern KEY = Pattern.compile("\"?([\\x21\\x23-\\x7e]{1,255})\"?");

  private final ProfileStore profiles;
  private final Bodies bodies;

  CreateCommands(ProfileStore profiles, Bodies bodies) {
    this.profiles = profiles;
    this.bodies = bodies;
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

  @Nullable IdempotencyKey idempotencyKey(
      Principal principal, String route, @Nullable String header, byte[] body) {
    if (header == null) {
      return null;
    }
    var match = KEY.matcher(header.strip());
    if (!match.matches()) {
      throw invalid("Idempotency-Key must be 1 to 255 visible characters, quoted or bare");
    }
    return new IdempotencyKey(
        principal.tenantId(), principal.keyId(), route, match.group(1), bodies.fingerprint(body));
  }

  private ProblemException unknown(String name) {
    List<String> names = profiles.list().stream().map(ProfileEntry::id).distinct().toList();
    return invalid("there is no profile '%s'; there are %s".formatted(name, names));
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(
        Problem.of(ErrorCode.VALIDATION, detail).with("example", CreateRequest.EXAMPLE));
  }
}
