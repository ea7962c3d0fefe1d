package dev.sandboxer.platform.session;

import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.InputsException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileRecipe;
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
  private final HostFolders folders;
  private final CapabilityPolicy policy;
  private final ScopeVisibility visibility;

  SessionSandboxes(
      ProfileStore profiles,
      SandboxLifecycle lifecycle,
      Sandboxes sandboxes,
      SessionSettings settings,
      HostFolders folders,
      CapabilityPolicy policy,
      ScopeVisibility visibility) {
    this.visibility = visibility;
    this.policy = policy;
    this.folders = folders;
    this.profiles = profiles;
    this.lifecycle = lifecycle;
    this.sandboxes = sandboxes;
    this.settings = settings;
  }

  /**
   * An own, live sandbox that no session holds and that the key may know; empty if the hint is no
   * such one.
   */
  Optional<Sandbox> hinted(Handle open, Wish wish) {
    return wish.sandboxHint()
        .flatMap(
            id ->
                open.createQuery(UNBOUND)
                    .bind("id", id)
                    .bind("tenant", wish.tenantId())
                    .mapTo(String.class)
                    .findOne())
        .flatMap(id -> sandboxes.find(open, id))
        .filter(sandbox -> visibility.open(open, wish.party().principal(), sandbox));
  }

  /** The profile that a wish is about, with its inputs. */
  private Profile profile(Wish wish) {
    String name = wish.profile().orElseGet(() -> settings.profile(wish.scope().type()));
    ProfileRecipe recipe =
        profiles
            .recipe(name)
            .orElseThrow(
                () ->
                    new ProblemException(
                        ErrorCode.VALIDATION,
                        "there is no profile '%s'; there are %s"
                            .formatted(name, profiles.names())));
    try {
      return recipe.with(wish.inputs().orElse(Map.of()));
    } catch (InputsException e) {
      throw new ProblemException(ErrorCode.VALIDATION, name + ": " + e.getMessage());
    }
  }

  /**
   * What is to be made if the scope has no sandbox: one that lives as long as its session does,
   * within the hard limit. Also asks whether it can be made; not to be called in a transaction.
   */
  CreateCommand command(Wish wish, String sessionId) {
    Profile profile = profile(wish);
    String provider = wish.provider().orElse(profile.extension());
    if (!provider.equals(profile.extension())) {
      throw new ProblemException(
          wish.dialect().unavailable(),
          "profile '%s' runs on %s, not on %s; leave provider_preference out"
              .formatted(profile.id(), profile.extension(), provider));
    }
    checkMounts(wish, profile);
    CreateCommand command =
        new CreateCommand(
            wish.tenantId(),
            wish.party().principal().keyId(),
            profile.extension(),
            profile.spec(),
            consumer(wish, sessionId),
            profile.spec().hardTtl().toSeconds(),
            profile.idle().toSeconds(),
            Map.of(),
            profile.env(),
            profile.capabilities());
    lifecycle.prepare(command);
    return command;
  }

  private void checkMounts(Wish wish, Profile profile) {
    try {
      var _ = folders.check(wish.tenantId(), profile.mounts());
    } catch (MountRefusedException e) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "%s: mounts: %s".formatted(profile.id(), e.getMessage()));
    }
  }

  /**
   * Makes one.
   *
   * @throws ProblemException CAPABILITY_DENIED if its profile leaves nothing of the wish
   */
  Sandbox create(Handle open, Wish wish, CreateCommand command) {
    var _ = policy.grant(wish.party(), command.capabilities(), wish.requested());
    return lifecycle.create(open, command);
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
    String[] named = wish.profile().get().split("@", 2);
    String id = named[0].startsWith("profile.") ? named[0] : "profile." + named[0];
    return id.equals(row.sandbox().profileId())
        && (named.length == 1 || named[1].equals(Integer.toString(row.sandbox().profileVersion())));
  }
}
