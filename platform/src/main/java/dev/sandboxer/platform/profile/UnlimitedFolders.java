package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.mount.CallerMounts.Mode;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.Optional;

/**
 * A folder of the host has no quota, so what is written to it can fill a disk that others use. A
 * profile that lets its sandboxes do so must say that it knows, with {@code unlimited: true}.
 */
final class UnlimitedFolders {

  private UnlimitedFolders() {}

  /** For new texts only: a stored version that was right when it came goes on. */
  static void check(Profile profile, YamlMap top, YamlProblems problems) {
    if (problems.any()) {
      return;
    }
    try {
      check(profile, top);
    } catch (YamlException e) {
      problems.add(e);
    }
  }

  private static void check(Profile profile, YamlMap top) throws YamlException {
    for (int i = 0; i < profile.mounts().size(); i++) {
      if (writes(profile.mounts().get(i))) {
        require(top.get("mounts").list().get(i));
      }
    }
    if (profile.callerMounts().modes().contains(Mode.RW)) {
      require(top.get("caller_mounts"));
    }
  }

  private static boolean writes(Mount mount) {
    return mount instanceof Mount.HostFolder folder
        && folder.writable()
        && folder.delivery() == MountDelivery.BIND;
  }

  private static void require(YamlValue mounts) throws YamlException {
    Optional<YamlValue> unlimited = mounts.map().find("unlimited");
    if (unlimited.isEmpty() || !unlimited.get().text().equals("true")) {
      throw unlimited
          .orElse(mounts)
          .wrong(
              "a folder of the host has no quota, and mode rw can fill its disk: add 'unlimited:"
                  + " true' if that is acceptable, or mount a volume, which has a size");
    }
  }
}
