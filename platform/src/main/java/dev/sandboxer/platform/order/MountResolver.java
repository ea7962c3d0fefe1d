package dev.sandboxer.platform.order;

import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.volume.Volumes;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what is mounted into a sandbox: what its profile says, and what the request adds within
 * that profile's {@code caller_mounts}. Folders of the host are checked again when they are
 * mounted; here the caller gets the reason at once.
 */
@ApplicationScoped
class MountResolver {

  private final HostFolders folders;
  private final Volumes volumes;

  MountResolver(HostFolders folders, Volumes volumes) {
    this.folders = folders;
    this.volumes = volumes;
  }

  /**
   * Puts the mounts of profile and request together.
   *
   * @param request of a door
   * @param profile that it names
   * @return the profile's mounts, then the request's
   * @throws ProblemException VALIDATION for the first mount that is refused, with {@code
   *     profile_key} where the profile could allow it
   */
  List<Mount> resolve(OrderRequest request, Profile profile) {
    checkProfile(request.tenantId(), profile);
    profile
        .callerMounts()
        .refusal(request.mounts())
        .ifPresent(
            why -> {
              throw refused(profile, why, "caller_mounts");
            });
    int all = profile.mounts().size() + request.mounts().size();
    if (all > MountRules.MOST) {
      throw refused(
          profile,
          "a sandbox may have %d mounts; the profile has %d, and the request %d"
              .formatted(MountRules.MOST, profile.mounts().size(), request.mounts().size()),
          "mounts");
    }
    List<Mount> mounts = new ArrayList<>(profile.mounts());
    for (Mount mount : request.mounts()) {
      checkRequested(request.tenantId(), profile, mount, mounts);
      mounts.add(mount);
    }
    checkPoints(mounts);
    return mounts;
  }

  private void checkPoints(List<Mount> mounts) {
    try {
      folders.checkPoints(mounts);
    } catch (MountRefusedException e) {
      throw new ProblemException(ErrorCode.VALIDATION, "mounts: " + e.getMessage());
    }
  }

  private void checkProfile(String tenantId, Profile profile) {
    try {
      var _ = folders.check(tenantId, profile.mounts());
    } catch (MountRefusedException e) {
      throw refused(profile, "mounts: " + e.getMessage(), "mounts");
    }
    volumes
        .missing(tenantId, profile.mounts())
        .ifPresent(
            why -> {
              throw refused(profile, "mounts: " + why, "mounts");
            });
  }

  private void checkRequested(String tenantId, Profile profile, Mount mount, List<Mount> others) {
    MountRules.conflict(mount, others)
        .ifPresent(
            why -> {
              throw refused(profile, "'%s' %s".formatted(mount.mountPath(), why), "mounts");
            });
    volumes
        .missing(tenantId, List.of(mount))
        .ifPresent(
            why -> {
              throw new ProblemException(
                  ErrorCode.VALIDATION, "mount at '%s': %s".formatted(mount.mountPath(), why));
            });
    try {
      var _ = folders.check(tenantId, List.of(mount));
    } catch (MountRefusedException e) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "mount at '%s': %s".formatted(mount.mountPath(), e.getMessage()));
    }
  }

  private static ProblemException refused(Profile profile, String why, String key) {
    return new ProblemException(
        Problem.of(
                ErrorCode.VALIDATION, "%s@%d: %s".formatted(profile.id(), profile.version(), why))
            .with("profile_key", key));
  }
}
