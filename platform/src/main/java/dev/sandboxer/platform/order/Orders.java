package dev.sandboxer.platform.order;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.InputsException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileRecipe;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.routing.RequestedRouting;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Resolves what a door asks for: the profile's version, its inputs, mounts and limits. */
@ApplicationScoped
public class Orders {

  private final ProfileStore profiles;
  private final MountResolver mounts;

  Orders(ProfileStore profiles, MountResolver mounts) {
    this.profiles = profiles;
    this.mounts = mounts;
  }

  /**
   * Resolves a request. Reads profiles and the folders that are to be mounted; records nothing, and
   * asks no store of secrets and looks for no archives: who makes something of the order does
   * ({@link OrderedSecrets}, {@link OrderedArchives}).
   *
   * @param request of a door
   * @return what is to be created
   * @throws ProblemException VALIDATION if there is no such profile, its inputs are wrong, a mount
   *     of the profile or of the request is refused ({@code profile_key}), a variable of the
   *     request is a secret of the profile, or the TTL is longer than the profile allows
   */
  public Order resolve(OrderRequest request) {
    Profile profile = profile(request);
    List<Mount> mounted = mounts.resolve(request, profile);
    Map<String, String> environment = new LinkedHashMap<>(profile.env());
    environment.putAll(request.env());
    checkVariables(request, profile);
    return new Order(
        request.tenantId(),
        request.principalId(),
        routing(request, profile),
        profile.spec(mounted),
        request.consumer(),
        ttlSeconds(profile, request.life()),
        profile.idle().toSeconds(),
        request.labels(),
        environment,
        profile.capabilities(),
        profile.secretRefs(),
        Map.of());
  }

  private static void checkVariables(OrderRequest request, Profile profile) {
    profile.secretRefs().stream()
        .filter(ref -> ref.variable() && request.env().containsKey(ref.name()))
        .findFirst()
        .ifPresent(
            ref -> {
              throw invalid(
                  "field 'env.%s': it is a secret of %s@%d"
                      .formatted(ref.name(), profile.id(), profile.version()));
            });
  }

  /** A request can only narrow what its profile allows. */
  private static Routing routing(OrderRequest request, Profile profile) {
    Routing routing = profile.routing();
    if (request.routing().isPresent()) {
      if (!profile.callerRouting()) {
        throw new ProblemException(
            Problem.of(
                    ErrorCode.VALIDATION,
                    "field 'routing': %s@%d does not let a request say where it runs;"
                            .formatted(profile.id(), profile.version())
                        + " 'caller_routing: true' in the profile would")
                .with("profile_key", "caller_routing"));
      }
      RequestedRouting asked = request.routing().get();
      checkNarrower(routing, asked);
      routing = routing.narrowedBy(asked);
    }
    return request.maxCost().map(routing::costing).orElse(routing);
  }

  private static void checkNarrower(Routing routing, RequestedRouting asked) {
    asked.candidates().stream()
        .filter(candidate -> !routing.allows(candidate))
        .findFirst()
        .ifPresent(
            candidate -> {
              throw invalid(
                  "field 'routing.candidates': the profile does not allow %s; it allows %s"
                      .formatted(candidate.text(), routing.extensions()));
            });
    routing
        .require()
        .conflict(asked.require())
        .ifPresent(
            field -> {
              throw invalid(
                  "field 'routing.require.%s': the profile requires another value"
                      .formatted(field));
            });
  }

  private Profile profile(OrderRequest request) {
    ProfileRecipe recipe =
        profiles.recipe(request.profile()).orElseThrow(() -> unknown(request.profile()));
    try {
      return recipe.with(request.inputs());
    } catch (InputsException e) {
      Profile known = recipe.profile();
      throw invalid("%s@%d: %s".formatted(known.id(), known.version(), e.getMessage()));
    }
  }

  private static long ttlSeconds(Profile profile, OrderRequest.Life life) {
    long most = profile.hardTtl().toSeconds();
    return switch (life) {
      case OrderRequest.Life.OfSession() -> most;
      case OrderRequest.Life.Ttl(Optional<Long> seconds) -> {
        long asked = seconds.orElseGet(() -> profile.ttl().toSeconds());
        if (asked > most) {
          throw invalid(
              "field 'ttl_seconds' is %d; the profile's hard limit is %s (%d s)"
                  .formatted(asked, Duration.ofSeconds(most), most));
        }
        yield asked;
      }
    };
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
    return new ProblemException(ErrorCode.VALIDATION, detail);
  }
}
