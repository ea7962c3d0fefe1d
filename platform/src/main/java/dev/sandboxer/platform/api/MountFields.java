package dev.sandboxer.platform.api;

import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Units;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The mounts of a request, as in the profile language. */
public final class MountFields {

  private static final Pattern ANY = Pattern.compile(".*", Pattern.DOTALL);
  private static final Pattern DELIVERY = Pattern.compile("bind|copy");
  private static final Pattern MODE = Pattern.compile("ro|rw");
  private static final String INSIDE = "a path inside the sandbox, such as /data";
  private static final String HOST =
      "a folder of the host, such as /srv/data; or instead 'volume' with a name, or 'tmpfs' with a size";
  private static final List<String> KINDS = List.of("host_path", "volume", "tmpfs");

  private MountFields() {}

  /**
   * Reads a list of mounts. Whether the profile and the host allow them is not looked at.
   *
   * @param body of the request
   * @param name of the list
   * @return in the order of the request; empty if the list is absent or null
   * @throws ProblemException VALIDATION for the first field that is wrong, with its name
   */
  public static List<Mount> mounts(Body body, String name) {
    List<Mount> mounts = new ArrayList<>();
    for (Body one : body.optionalObjects(name, MountRules.MOST)) {
      Mount mount = mount(one);
      MountRules.conflict(mount, mounts)
          .ifPresent(
              why -> {
                throw one.invalid("mount_path", why);
              });
      mounts.add(mount);
    }
    return List.copyOf(mounts);
  }

  /**
   * Reads what is mounted at {@code /workspace}.
   *
   * @param body of the request
   * @param name of the object
   * @param others that the request names
   * @return empty if it is absent or null
   * @throws ProblemException VALIDATION for the first field that is wrong, with its name
   */
  public static Optional<Mount> workspace(Body body, String name, List<Mount> others) {
    return body.optionalObject(name)
        .map(
            one -> {
              one.only("host_path", "volume", "mode", "content_digest");
              Mount mount = mount(one, MountRules.WORKSPACE);
              MountRules.conflict(mount, others)
                  .ifPresent(
                      why -> {
                        throw body.invalid(name, why);
                      });
              return mount;
            });
  }

  private static Mount mount(Body body) {
    body.only(
        "host_path",
        "volume",
        "tmpfs",
        "mount_path",
        "mode",
        "content_digest",
        "delivery",
        "sync_interval");
    return mount(body, checked(body, "mount_path", INSIDE, MountRules::target));
  }

  private static Mount mount(Body body, String path) {
    Optional<String> mode = body.optionalText("mode", MODE, "ro or rw");
    List<String> kinds = KINDS.stream().filter(body::has).toList();
    if (kinds.size() > 1) {
      throw body.invalid(
          kinds.get(1), "excludes '%s': a mount is one or the other".formatted(kinds.get(0)));
    }
    boolean writable = mode.orElse("ro").equals("rw");
    MountDelivery delivery = delivery(body, kinds, path);
    long interval = interval(body, delivery, writable);
    Optional<String> digest = digest(body, writable);
    if (digest.isPresent() && !kinds.equals(List.of("host_path"))) {
      throw body.invalid("content_digest", "is of a folder of the host alone");
    }
    if (body.has("volume")) {
      String name = checked(body, "volume", "the name of a volume", MountRules::volume);
      return new Mount.Volume(name, path, writable);
    }
    if (!body.has("tmpfs")) {
      String source = checked(body, "host_path", HOST, MountRules::source);
      return new Mount.HostFolder(source, path, writable, digest, delivery, interval);
    }
    if (mode.isPresent()) {
      throw body.invalid("mode", "cannot stand beside 'tmpfs', which is always writable");
    }
    return new Mount.Tmpfs(checked(body, "tmpfs", "a size, such as 64Mi", Units::size), path);
  }

  private static MountDelivery delivery(Body body, List<String> kinds, String path) {
    if (!body.has("delivery")) {
      return MountDelivery.BIND;
    }
    if (!kinds.equals(List.of("host_path"))) {
      throw body.invalid("delivery", "goes with 'host_path' only");
    }
    String asked = body.optionalText("delivery", DELIVERY, "bind or copy").orElse("bind");
    if (asked.equals("bind")) {
      return MountDelivery.BIND;
    }
    try {
      var _ = MountRules.copyTarget(path);
    } catch (IllegalArgumentException e) {
      throw body.invalid("mount_path", String.valueOf(e.getMessage()));
    }
    return MountDelivery.COPY;
  }

  private static long interval(Body body, MountDelivery delivery, boolean writable) {
    if (!body.has("sync_interval")) {
      return 0;
    }
    if (delivery != MountDelivery.COPY || !writable) {
      throw body.invalid("sync_interval", "goes with 'delivery: copy' and 'mode: rw' only");
    }
    return checked(body, "sync_interval", "a time, such as 5m", Units::syncSeconds);
  }

  /**
   * Reads {@code content_digest}.
   *
   * @param body of a mount
   * @param writable whether it is to be mounted for writing, which excludes a digest
   * @return empty if it is absent
   * @throws ProblemException VALIDATION if it has another form, or the mount is for writing
   */
  public static Optional<String> digest(Body body, boolean writable) {
    if (!body.has("content_digest")) {
      return Optional.empty();
    }
    String digest =
        checked(body, "content_digest", "a digest, such as sha256:9f86…", MountRules::digest);
    if (writable) {
      throw body.invalid("content_digest", "excludes mode rw: what is verified is read-only");
    }
    return Optional.of(digest);
  }

  private static <T> T checked(Body body, String name, String wanted, Function<String, T> rule) {
    String text = body.text(name, ANY, wanted);
    try {
      return rule.apply(text);
    } catch (IllegalArgumentException e) {
      throw body.invalid(name, String.valueOf(e.getMessage()));
    }
  }
}
