package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads {@code mounts}. Whether a host's folder may be mounted is seen at each create. */
final class MountsParser {

  static final Set<String> KNOWN =
      Set.of(
          "host_path",
          "volume",
          "tmpfs",
          "mount_path",
          "mode",
          "unlimited",
          "content_digest",
          "delivery",
          "sync_interval");

  private final YamlProblems problems;
  private final List<Mount> mounts = new ArrayList<>();

  private MountsParser(YamlProblems problems) {
    this.problems = problems;
  }

  static List<Mount> parse(Optional<YamlValue> value, YamlProblems problems) {
    return value.isEmpty()
        ? List.of()
        : problems.read(List.of(), () -> new MountsParser(problems).all(value.get()));
  }

  private List<Mount> all(YamlValue value) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.size() > MountRules.MOST) {
      throw value.wrong("a sandbox may have %d mounts".formatted(MountRules.MOST));
    }
    for (YamlValue item : items) {
      @Nullable Mount mount = problems.<@Nullable Mount>read(null, () -> one(item));
      if (mount != null) {
        mounts.add(mount);
      }
    }
    return mounts;
  }

  private Mount one(YamlValue item) throws YamlException {
    YamlMap map = item.map();
    map.allowOnly(KNOWN, Set.of());
    YamlValue target = map.get("mount_path");
    Mount mount = mount(item, map, path(target, MountRules::target));
    Optional<String> conflict = MountRules.conflict(mount, mounts);
    if (conflict.isPresent()) {
      throw target.wrong(target.shown() + " " + conflict.get());
    }
    return mount;
  }

  private static Mount mount(YamlValue item, YamlMap map, String path) throws YamlException {
    Optional<YamlValue> host = map.find("host_path");
    Optional<YamlValue> volume = map.find("volume");
    Optional<YamlValue> tmpfs = map.find("tmpfs");
    if (Stream.of(host, volume, tmpfs).filter(Optional::isPresent).count() != 1) {
      throw item.wrong("a mount has either 'host_path', 'volume' or 'tmpfs'");
    }
    Optional<YamlValue> mode = map.find("mode");
    Optional<YamlValue> digest = map.find("content_digest");
    if (digest.isPresent() && host.isEmpty()) {
      throw digest.get().wrong("only a folder of the host has a content_digest");
    }
    Optional<YamlValue> delivery = map.find("delivery");
    if (delivery.isPresent() && host.isEmpty()) {
      throw delivery.get().wrong("'delivery' goes with 'host_path' only");
    }
    boolean copied = delivery.isPresent() && copied(delivery.get(), path);
    Optional<YamlValue> interval = map.find("sync_interval");
    if (interval.isPresent() && !(copied && writable(mode))) {
      throw interval.get().wrong("'sync_interval' goes with 'delivery: copy' and 'mode: rw' only");
    }
    Optional<YamlValue> unlimited = map.find("unlimited");
    if (unlimited.isPresent() && (host.isEmpty() || copied || !writable(mode))) {
      throw unlimited.get().wrong("'unlimited' goes with a 'host_path' of 'mode: rw' only");
    }
    if (tmpfs.isPresent()) {
      if (mode.isPresent()) {
        throw mode.get().wrong("a tmpfs is always writable: leave 'mode' out");
      }
      return new Mount.Tmpfs(Units.size(tmpfs.get()), path);
    }
    if (volume.isPresent()) {
      return new Mount.Volume(path(volume.get(), MountRules::volume), path, writable(mode));
    }
    return new Mount.HostFolder(
        path(host.orElseThrow(), MountRules::source),
        path,
        writable(mode),
        digest.isPresent() ? Optional.of(verified(digest.get(), mode)) : Optional.empty(),
        copied ? MountDelivery.COPY : MountDelivery.BIND,
        interval.isPresent() ? seconds(interval.get()) : 0);
  }

  private static String verified(YamlValue digest, Optional<YamlValue> mode) throws YamlException {
    String text = path(digest, MountRules::digest);
    if (writable(mode)) {
      throw digest.wrong("a folder with a content_digest is read-only: leave 'mode: rw' out");
    }
    return text;
  }

  private static boolean copied(YamlValue delivery, String path) throws YamlException {
    String text = delivery.text();
    if (text.equals("bind")) {
      return false;
    }
    if (!text.equals("copy")) {
      throw Constants.unknown(delivery, text, Set.of("bind", "copy"));
    }
    if (!MountRules.roomForCopies(path)) {
      throw delivery.wrong(
          "'%s' cannot be the place of a copy: it must lie below /workspace or /tmp"
              .formatted(path));
    }
    return true;
  }

  private static long seconds(YamlValue interval) throws YamlException {
    try {
      return Units.syncSeconds(interval.text());
    } catch (IllegalArgumentException e) {
      throw interval.wrong(interval.shown() + " " + e.getMessage());
    }
  }

  private static boolean writable(Optional<YamlValue> mode) throws YamlException {
    if (mode.isEmpty()) {
      return false;
    }
    String text = mode.get().text();
    if (!text.equals("ro") && !text.equals("rw")) {
      throw Constants.unknown(mode.get(), text, Set.of("ro", "rw"));
    }
    return text.equals("rw");
  }

  static String path(YamlValue value, UnaryOperator<String> rule) throws YamlException {
    String text = value.text();
    try {
      return rule.apply(text);
    } catch (IllegalArgumentException e) {
      throw value.wrong(value.shown() + " " + e.getMessage());
    }
  }
}
