package dev.sandboxer.platform.mount;

import dev.sandboxer.spi.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Where other mounts stand in a folder of the host that is mounted at {@link MountRules#WORKSPACE}.
 * Each needs a folder there. A backend makes those that are missing, where the mount is for
 * writing; the caller gets the reason here where it could not.
 */
final class MountPoints {

  private MountPoints() {}

  static void check(List<Mount> mounts) throws MountRefusedException {
    for (Mount mount : mounts) {
      if (mount instanceof Mount.HostFolder folder
          && folder.mountPath().equals(MountRules.WORKSPACE)) {
        for (Mount other : mounts) {
          if (other.mountPath().startsWith(MountRules.WORKSPACE + "/")) {
            check(folder, other.mountPath());
          }
        }
      }
    }
  }

  private static void check(Mount.HostFolder folder, String point) throws MountRefusedException {
    Path at = Path.of(folder.hostPath());
    for (Path name : Path.of(MountRules.WORKSPACE).relativize(Path.of(point))) {
      at = at.resolve(name);
      if (!there(folder, at, point)) {
        return;
      }
    }
  }

  private static boolean there(Mount.HostFolder folder, Path at, String point)
      throws MountRefusedException {
    try {
      var found = Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (found.isDirectory()) {
        return true;
      }
      throw new MountRefusedException(
          "%s is %s: nothing can be mounted at %s"
              .formatted(at, found.isSymbolicLink() ? "a link" : "no folder", point));
    } catch (NoSuchFileException e) {
      if (folder.writable()) {
        return false;
      }
      throw new MountRefusedException(
          "%s is mounted read-only at %s and has no folder %s to mount at: make it, or mount with mode rw"
              .formatted(folder.hostPath(), folder.mountPath(), at));
    } catch (IOException e) {
      throw MountRefusedException.unreadable(at, e);
    }
  }
}
