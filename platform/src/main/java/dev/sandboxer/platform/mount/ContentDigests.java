package dev.sandboxer.platform.mount;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Compares what folders hold with the digests that mounts name. A folder whose files have not
 * changed since it was read is not read again.
 */
@ApplicationScoped
class ContentDigests {

  private static final int KEPT = 1000;

  /** More than a tick of any file system's clock. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final Clock clock;
  private final Cache<String, String> read =
      Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build();

  ContentDigests(Clock clock) {
    this.clock = clock;
  }

  /**
   * Verifies a folder, which may take as long as reading it.
   *
   * @param wanted {@code sha256:<hex>}
   * @throws MountRefusedException if it holds something else, or cannot be read
   */
  void verify(Path folder, String wanted) throws MountRefusedException {
    String found = digest(folder);
    if (!found.equals(wanted)) {
      throw new MountRefusedException(
          "%s holds something else than its content_digest says: wanted %s, found %s"
              .formatted(folder, wanted, found));
    }
  }

  private String digest(Path folder) throws MountRefusedException {
    Instant before = clock.instant();
    FolderTree tree = FolderTree.of(folder);
    String known = read.getIfPresent(tree.stamp());
    if (known != null) {
      return known;
    }
    String found;
    try {
      found = TreeManifest.of(tree).digest();
    } catch (IOException e) {
      throw MountRefusedException.unreadable(folder, e);
    }
    if (!FolderTree.of(folder).stamp().equals(tree.stamp())) {
      throw new MountRefusedException(folder + " changes while it is read");
    }
    if (tree.changedAt().isBefore(before.minus(SETTLED))) {
      read.put(tree.stamp(), found);
    }
    return found;
  }
}
