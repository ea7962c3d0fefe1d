package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.id.Sha256;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.spi.Mount;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code box_verify_shared_workspace}: the client has written a file of a random name into the
 * folder of its workspaces, and wants its hash, which shows that both see one folder.
 */
@ApplicationScoped
class SharedFolder {

  private static final Pattern MARKER = Pattern.compile("\\.langbot-box-volume-probe-[a-f0-9]{32}");
  private static final int MOST_BYTES = 1024;

  private final HostFolders folders;

  SharedFolder(HostFolders folders) {
    this.folders = folders;
  }

  JsonObject verify(ActionCall call) {
    String marker = call.fields().text("marker_name");
    if (!MARKER.matcher(marker).matches()) {
      throw unready("the marker's name is not one that the client makes");
    }
    String folder =
        call.client()
            .settings()
            .sharedFolder()
            .orElseThrow(
                () -> unready("box_init named no local.default_workspace with an absolute path"));
    byte[] content = read(Path.of(checked(call, folder)), marker);
    return new JsonObject()
        .put("marker_name", marker)
        .put("sha256", HexFormat.of().formatHex(Sha256.of(content)))
        .put("size", content.length);
  }

  /** The same rules as for a mount: what may not be mounted is not read either. */
  private String checked(ActionCall call, String folder) {
    try {
      String source = MountRules.source(folder);
      var _ =
          folders.check(
              call.client().principal().tenantId(),
              List.of(new Mount.HostFolder(source, "/shared", false)));
      return source;
    } catch (IllegalArgumentException e) {
      throw unready("local.default_workspace '%s' %s".formatted(folder, e.getMessage()));
    } catch (MountRefusedException e) {
      throw unready(e.getMessage());
    }
  }

  private static byte[] read(Path folder, String marker) {
    Path file = folder.resolve(marker);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw unready("the marker is not there as a regular file");
    }
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      byte[] content = in.readNBytes(MOST_BYTES + 1);
      if (content.length == 0 || content.length > MOST_BYTES) {
        throw unready("the marker must have 1 to %d bytes".formatted(MOST_BYTES));
      }
      return content;
    } catch (IOException e) {
      throw unready("the marker cannot be read");
    }
  }

  private static BoxError unready(@Nullable String why) {
    return new BoxError(Kind.READINESS, why == null ? "the folder is refused" : why);
  }
}
