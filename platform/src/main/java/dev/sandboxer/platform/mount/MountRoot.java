package dev.sandboxer.platform.mount;

import dev.sandboxer.platform.installation.StartupException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A folder that the operator has granted, with everything below it.
 *
 * @param tenant name or id of the only tenant that may use it, null for all
 * @param folder absolute
 * @param writable whether it may be mounted for writing too
 */
record MountRoot(@Nullable String tenant, Path folder, boolean writable) {

  private static final Pattern FORM = Pattern.compile("(?:([^/=]+)=)?(/[^:=,]*)(?::(ro|rw))?");

  /**
   * Reads {@code SANDBOXER_MOUNT_ROOTS}.
   *
   * @param items such as {@code /srv/data}, {@code /srv/data:ro} and {@code team-a=/srv/a:rw}
   * @throws StartupException naming the item that is wrong
   */
  static List<MountRoot> parse(List<String> items) {
    return items.stream().map(MountRoot::parse).toList();
  }

  private static MountRoot parse(String item) {
    Matcher match = FORM.matcher(item);
    if (!match.matches()) {
      throw wrong(item, "it must be [tenant=]/folder[:ro|:rw], several separated by commas");
    }
    Path folder = Path.of(match.group(2));
    if (!folder.normalize().equals(folder) || folder.getNameCount() == 0) {
      throw wrong(item, "the folder must be absolute, without '..', and not the whole host");
    }
    return new MountRoot(match.group(1), folder, "rw".equals(match.group(3)));
  }

  private static StartupException wrong(String item, String why) {
    return new StartupException("SANDBOXER_MOUNT_ROOTS has '%s': %s".formatted(item, why));
  }

  boolean grants(Path source, boolean write, String tenantId, String tenantName) {
    return source.startsWith(folder)
        && (writable || !write)
        && (tenant == null || tenant.equals(tenantId) || tenant.equals(tenantName));
  }
}
