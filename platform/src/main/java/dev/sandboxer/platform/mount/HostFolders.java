package dev.sandboxer.platform.mount;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.Mount;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Decides which folders of this host may be mounted. Each create asks, and each establishing. */
@Startup
@ApplicationScoped
public class HostFolders {

  private static final String WRITTEN_BY_OTHERS =
      """
      select count(*) from sandbox s, jsonb_array_elements(s.spec -> 'mounts') m
      where s.destroyed_at is null and m ->> 'kind' = 'host_folder' and m ->> 'writable' = 'true'
        and starts_with(:source, (m ->> 'host_path') || '/')
      """;

  /** Whoever writes in a folder changes what its digest was compared with. */
  private static final String USED_OTHERWISE =
      """
      select m ->> 'host_path' from sandbox s, jsonb_array_elements(s.spec -> 'mounts') m
      where s.destroyed_at is null and m ->> 'kind' = 'host_folder'
        and case when :by_digest then m ->> 'writable' = 'true' else m ->> 'content_digest' is not null end
        and (m ->> 'host_path' = :source or starts_with(m ->> 'host_path', :source || '/')
          or starts_with(:source, (m ->> 'host_path') || '/'))
      limit 1
      """;

  private final Jdbi jdbi;
  private final Tenants tenants;
  private final ContentDigests digests;
  private final List<MountRoot> roots;
  private final FolderSafety safety;

  HostFolders(Jdbi jdbi, Tenants tenants, ContentDigests digests, Home home, Settings settings) {
    this.jdbi = jdbi;
    this.tenants = tenants;
    this.digests = digests;
    this.roots = MountRoot.parse(settings.list(Setting.SANDBOXER_MOUNT_ROOTS));
    this.safety = FolderSafety.of(home.root());
  }

  /**
   * Checks all of a sandbox's host folders as they are now, and compares what they hold with the
   * digests that are named.
   *
   * @param tenantId owner of the sandbox
   * @param mounts of its spec; only host folders are looked at
   * @return path inside to {@code device:inode} of the folder that was checked
   * @throws MountRefusedException for the first that may not be mounted
   */
  public Map<String, String> check(String tenantId, List<Mount> mounts)
      throws MountRefusedException {
    Map<String, String> checked = new LinkedHashMap<>();
    for (Mount mount : mounts) {
      if (mount instanceof Mount.HostFolder folder) {
        checked.put(folder.mountPath(), check(tenantId, folder));
      }
    }
    checkPoints(mounts);
    return checked;
  }

  /**
   * Checks a folder that is read once and mounted nowhere.
   *
   * @param tenantId who asks
   * @param source of the caller
   * @throws MountRefusedException if the tenant may not mount it for reading
   */
  public void checkRead(String tenantId, Path source) throws MountRefusedException {
    if (!source.isAbsolute() || !source.normalize().equals(source)) {
      throw new MountRefusedException(
          "'%s' must be an absolute path without '..'".formatted(source));
    }
    checkGranted(tenantId, source, false);
    var _ = safety.check(source, false);
  }

  /**
   * Checks that mounts can stand in a folder that is mounted at {@code /workspace}.
   *
   * @param mounts all of a sandbox
   * @throws MountRefusedException for the first that cannot
   */
  public void checkPoints(List<Mount> mounts) throws MountRefusedException {
    MountPoints.check(mounts);
  }

  private String check(String tenantId, Mount.HostFolder folder) throws MountRefusedException {
    Path source = Path.of(folder.hostPath());
    checkGranted(tenantId, source, folder.writable());
    String identity = safety.check(source, folder.writable());
    if (written(source)) {
      throw new MountRefusedException(
          source + " lies in a folder that another sandbox has mounted for writing");
    }
    if (folder.writable() || folder.contentDigest().isPresent()) {
      checkUse(source, folder);
    }
    if (folder.contentDigest().isPresent()) {
      digests.verify(source, folder.contentDigest().get());
    }
    return identity;
  }

  private void checkUse(Path source, Mount.HostFolder folder) throws MountRefusedException {
    boolean byDigest = folder.contentDigest().isPresent();
    Optional<String> other =
        jdbi.withHandle(
            open ->
                open.createQuery(USED_OTHERWISE)
                    .bind("source", source.toString())
                    .bind("by_digest", byDigest)
                    .mapTo(String.class)
                    .findOne());
    if (other.isPresent()) {
      throw new MountRefusedException(
          byDigest
              ? "%s is mounted by its content_digest, and another sandbox has %s mounted for writing"
                  .formatted(source, other.get())
              : "%s is mounted for writing, and another sandbox has %s mounted by its content_digest"
                  .formatted(source, other.get()));
    }
  }

  private void checkGranted(String tenantId, Path source, boolean write)
      throws MountRefusedException {
    String name = tenants.find(tenantId).map(Tenant::name).orElse(tenantId);
    boolean granted = roots.stream().anyMatch(root -> root.grants(source, write, tenantId, name));
    if (!granted) {
      throw new MountRefusedException(
          "%s is outside the folders that tenant '%s' may mount%s: the operator grants them with SANDBOXER_MOUNT_ROOTS"
              .formatted(source, name, write ? " for writing" : ""));
    }
  }

  private boolean written(Path source) {
    return jdbi.withHandle(
        open ->
            open.createQuery(WRITTEN_BY_OTHERS)
                    .bind("source", source.toString())
                    .mapTo(Integer.class)
                    .one()
                > 0);
  }
}
