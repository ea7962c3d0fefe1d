package dev.sandboxer.platform.session;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.CreateCommand;
import dev.sandboxer.platform.provisioning.SandboxLifecycle;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Where a new session's sandbox comes from: the caller's hint, else a new one of a profile. */
@ApplicationScoped
class SessionSandboxes {

  private static final String PROJECT = "sessions";

  private static final String UNBOUND =
      """
      select id from sandbox
      where id = :id and tenant_id = :tenant and state in ('ready', 'active')
        and desired = 'running'
        and not exists (select 1 from session where sandbox_id = :id and ended_at is null)
      for no key update
      """;

  private final ProfileStore profiles;
  private final SandboxLifecycle lifecycle;
  private final Sandboxes sandboxes;
  private final SessionSettings settings;

  SessionSandboxes(
      ProfileStore profiles,
      SandboxLifecycle lifecycle,
      Sandboxes sandboxes,
      SessionSettings settings) {
    this.profiles = profiles;
    this.lifecycle = lifecycle;
    this.sandboxes = sandboxes;
    this.settings = settings;
  }

  /** An own, live sandbox that no session holds; empty if the hint is no such one. */
  Optional<Sandbox> hinted(Handle open, Wish wish) {
    return wish.sandboxHint()
        .flatMap(
            id ->
                open.createQuery(UNBOUND)
                    .bind("id", id)
                    .bind("tenant", wish.tenantId())
                    .mapTo(String.class)
                    .findOne())
        .flatMap(id -> sandboxes.find(open, id));
  }

  /** The profile that a wish is about. */
  Profile profile(Wish wish) {
    String name = wish.profile().orElseGet(() -> settings.profile(wish.scope().type()));
    return profiles
        .find(name)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.VALIDATION,
                    "there is no profile '%s'; there are %s".formatted(name, profiles.names())));
  }

  /** Records a sandbox that lives as long as its session does, within the hard limit. */
  Sandbox create(Handle open, Wish wish, String sessionId) {
    Profile profile = profile(wish);
    String provider = wish.provider().orElse(profile.extension());
    if (!provider.equals(profile.extension())) {
      throw new ProblemException(
          wish.shape().unavailable(),
          "profile '%s' runs on %s, not on %s; leave provider_preference out"
              .formatted(profile.id(), profile.extension(), provider));
    }
    return lifecycle.create(
        open,
        new CreateCommand(
            wish.tenantId(),
            wish.party().principal().keyId(),
            profile.extension(),
            profile.spec(),
            consumer(wish, sessionId),
            profile.spec().hardTtl().toSeconds(),
            Map.of(),
            profile.env()));
  }

  private static Consumer consumer(Wish wish, String sessionId) {
    Actor actor = wish.party().actor();
    String type = actor == null || actor.type() == Actor.Type.AGENT ? "agt" : "adm";
    return new Consumer(type, PROJECT, sessionId, wish.runId(), Map.of());
  }

  /** Whether a live session is of the profile that the wish names. */
  boolean sameProfile(Wish wish, SessionRow row) {
    if (wish.profile().isEmpty()) {
      return true;
    }
    Profile profile = profile(wish);
    boolean versioned = wish.profile().get().contains("@");
    return profile.id().equals(row.sandbox().profileId())
        && (!versioned || profile.version() == row.sandbox().profileVersion());
  }
}
