package dev.sandboxer.platform.box;

import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares a living box with the fields that a request sends. Fields that it leaves out are not
 * compared.
 */
final class Differences {

  private static final String SECRET = "(not shown)";

  private final Box box;
  private final BoxRequest request;
  private final List<Difference> found = new ArrayList<>();

  private Differences(Box box, BoxRequest request) {
    this.box = box;
    this.request = request;
  }

  /**
   * What differs, in the order of {@link BoxField}.
   *
   * @param env of the box
   */
  static List<Difference> of(Box box, Map<String, String> env, BoxRequest request) {
    Differences differences = new Differences(box, request);
    for (BoxField field : BoxField.values()) {
      if (request.named(field)) {
        differences.compare(field, env);
      }
    }
    return List.copyOf(differences.found);
  }

  private void compare(BoxField field, Map<String, String> env) {
    BoxSpec has = box.spec();
    BoxSpec wants = request.spec();
    switch (field) {
      case PROFILE -> profile();
      case INPUTS -> maps(field, has.inputs(), wants.inputs(), value -> value);
      case MOUNTS ->
          maps(
              field,
              byPath(has.mounts()),
              byPath(delivered(wants.mounts(), has.mounts())),
              value -> value);
      case ENV -> maps(field, env, request.env(), _ -> SECRET);
      case LABELS -> maps(field, has.labels(), wants.labels(), value -> value);
      case TTL_SECONDS -> values(field, text(has.ttlSeconds()), text(wants.ttlSeconds()));
      case IDLE_SECONDS -> values(field, has.idle(), wants.idle());
      case PERSISTENT -> values(field, has.persistent(), wants.persistent());
    }
  }

  private static String text(Optional<Long> seconds) {
    return seconds.map(String::valueOf).orElse("the profile's hard limit");
  }

  /** A request without a version wants any. */
  private void profile() {
    String[] named = request.spec().profile().split("@", 2);
    String id = named[0].startsWith("profile.") ? named[0] : "profile." + named[0];
    String has = box.sandbox().profileId() + "@" + box.sandbox().profileVersion();
    boolean same =
        named.length == 1 ? id.equals(box.sandbox().profileId()) : has.equals(id + "@" + named[1]);
    if (!same) {
      found.add(Difference.of(BoxField.PROFILE, has, request.spec().profile()));
    }
  }

  private void values(BoxField field, Object has, Object wants) {
    if (!has.equals(wants)) {
      found.add(Difference.of(field, has, wants));
    }
  }

  private void maps(
      BoxField field,
      Map<String, String> has,
      Map<String, String> wants,
      Function<String, String> shown) {
    TreeSet<String> names = new TreeSet<>(has.keySet());
    names.addAll(wants.keySet());
    for (String name : names) {
      @Nullable String one = has.get(name);
      @Nullable String other = wants.get(name);
      if (!Objects.equals(one, other)) {
        found.add(
            new Difference(
                field.text() + "." + name,
                one == null ? null : shown.apply(one),
                other == null ? null : shown.apply(other)));
      }
    }
  }

  /** A request that does not ask for a copy takes one as well. */
  private static List<Mount> delivered(List<Mount> wanted, List<Mount> there) {
    return wanted.stream()
        .map(
            mount ->
                mount instanceof Mount.HostFolder folder && copied(folder, there)
                    ? MountRules.copied(folder, folder.syncSeconds())
                    : mount)
        .toList();
  }

  private static boolean copied(Mount.HostFolder folder, List<Mount> there) {
    return there.stream()
        .anyMatch(
            other ->
                other instanceof Mount.HostFolder copy
                    && copy.delivery() == MountDelivery.COPY
                    && copy.mountPath().equals(folder.mountPath()));
  }

  /**
   * The folders of the host that a request has besides what the box has, if nothing else differs
   * and each can be copied in.
   *
   * @param box as it is
   * @param request that names all its mounts
   * @param differences between both
   * @return to be copied; empty if that would not make the box as requested
   */
  static List<Mount.HostFolder> toCopy(Box box, BoxRequest request, List<Difference> differences) {
    Set<String> there =
        box.spec().mounts().stream().map(Mount::mountPath).collect(Collectors.toSet());
    List<Mount.HostFolder> added =
        request.spec().mounts().stream()
            .filter(mount -> !there.contains(mount.mountPath()))
            .filter(Mount.HostFolder.class::isInstance)
            .map(Mount.HostFolder.class::cast)
            .filter(folder -> MountRules.roomForCopies(folder.mountPath()))
            .map(folder -> MountRules.copied(folder, folder.syncSeconds()))
            .toList();
    Set<String> fields =
        added.stream()
            .map(folder -> BoxField.MOUNTS.text() + "." + folder.mountPath())
            .collect(Collectors.toSet());
    boolean only = differences.stream().allMatch(one -> fields.contains(one.field()));
    return only ? added : List.of();
  }

  private static Map<String, String> byPath(List<Mount> mounts) {
    return mounts.stream()
        .collect(Collectors.toMap(Mount::mountPath, Differences::text, (a, _) -> a, TreeMap::new));
  }

  private static String text(Mount mount) {
    return switch (mount) {
      case Mount.HostFolder folder ->
          folder.hostPath() + mode(folder) + copy(folder) + digest(folder);
      case Mount.Volume volume -> "volume " + volume.volume() + mode(volume);
      case Mount.Tmpfs tmpfs -> "tmpfs of %d bytes".formatted(tmpfs.sizeBytes());
    };
  }

  private static String copy(Mount.HostFolder folder) {
    return folder.delivery() == MountDelivery.COPY ? " (copy)" : "";
  }

  private static String digest(Mount.HostFolder folder) {
    return folder.contentDigest().map(digest -> " " + digest).orElse("");
  }

  private static String mode(Mount mount) {
    return mount.writable() ? " (rw)" : " (ro)";
  }
}
