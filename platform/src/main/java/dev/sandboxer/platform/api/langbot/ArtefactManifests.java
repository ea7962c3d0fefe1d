package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.mount.TreeManifest;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the manifests that a client names with the digests that it names beside them. The
 * folders are compared with the digests wherever they are mounted.
 */
@ApplicationScoped
class ArtefactManifests {

  private static final int MOST_BYTES = 4 << 20;

  private final HostFolders folders;

  ArtefactManifests(HostFolders folders) {
    this.folders = folders;
  }

  /**
   * Checks those of a spec.
   *
   * @throws BoxError VALIDATION for the first that is not what it should be
   */
  void check(String tenantId, SessionSpec spec) {
    for (SessionSpec.Manifest manifest : spec.manifests()) {
      String found = read(tenantId, Path.of(manifest.path())).digest();
      if (!found.equals(manifest.digest())) {
        throw BoxError.invalid(
            "manifest %s does not match content_digest: wanted %s, found %s"
                .formatted(manifest.path(), manifest.digest(), found));
      }
    }
  }

  /** The same rules as for a mount: what may not be mounted is not read either. */
  private TreeManifest read(String tenantId, Path file) {
    try {
      String folder = String.valueOf(file.getParent());
      var _ = folders.check(tenantId, List.of(new Mount.HostFolder(folder, "/manifest", false)));
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw wrong(file, "it is not there as a regular file");
      }
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
        byte[] text = in.readNBytes(MOST_BYTES + 1);
        if (text.length > MOST_BYTES) {
          throw wrong(file, "it has more than %d bytes".formatted(MOST_BYTES));
        }
        return TreeManifest.parse(text);
      }
    } catch (MountRefusedException | IllegalArgumentException e) {
      throw wrong(file, e.getMessage());
    } catch (IOException e) {
      throw wrong(file, "it cannot be read");
    }
  }

  private static BoxError wrong(Path file, @Nullable String why) {
    return BoxError.invalid("manifest_path %s: %s".formatted(file, why));
  }
}
