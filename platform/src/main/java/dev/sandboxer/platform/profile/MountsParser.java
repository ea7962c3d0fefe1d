package dev.sandboxer.platform.profile;

import dev.sandboxer.spi.Mount;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code mounts}. Whether a host's folder may be mounted is seen at each create. */
final class MountsParser {

  static final Set<String> KNOWN = Set.of("host_path", "tmpfs", "mount_path", "mode");
  static final Set<String> RESERVED = Set.of("volume");

  private static final int MAX_MOUNTS = 16;
  private static final int MAX_PATH = 255;
  private static final Pattern PATH = Pattern.compile("/[^\\p{Cntrl}\\\\,:\"]*");

  /** What the sandbox itself is made of. */
  private static final List<String> TAKEN =
      List.of(
          "/workspace",
          "/tmp",
          "/proc",
          "/sys",
          "/dev",
          "/.sandboxer",
          "/run",
          "/var/run",
          "/usr",
          "/bin",
          "/sbin",
          "/lib",
          "/lib32",
          "/lib64",
          "/libx32",
          "/etc",
          "/var/tmp");

  /** Below these is room for mounts. */
  private static final List<String> ROOMY = List.of("/workspace", "/tmp");

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
    if (items.size() > MAX_MOUNTS) {
      throw value.wrong("a sandbox may have %d mounts".formatted(MAX_MOUNTS));
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
    map.allowOnly(KNOWN, RESERVED);
    YamlValue target = map.get("mount_path");
    String path = target(target);
    Optional<YamlValue> host = map.find("host_path");
    Optional<YamlValue> tmpfs = map.find("tmpfs");
    if (host.isPresent() == tmpfs.isPresent()) {
      throw item.wrong("a mount has either 'host_path' or 'tmpfs'");
    }
    Optional<YamlValue> mode = map.find("mode");
    if (tmpfs.isPresent()) {
      if (mode.isPresent()) {
        throw mode.get().wrong("a tmpfs is always writable: leave 'mode' out");
      }
      return new Mount.Tmpfs(Units.size(tmpfs.get()), path);
    }
    return new Mount.HostFolder(source(host.orElseThrow()), path, writable(mode));
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

  private static String source(YamlValue value) throws YamlException {
    String path = clean(value);
    if (path.equals("/")) {
      throw value.wrong("the whole host cannot be mounted");
    }
    return path;
  }

  private String target(YamlValue value) throws YamlException {
    String path = clean(value);
    for (String taken : TAKEN) {
      boolean same = path.equals(taken) || path.equals("/");
      if (same || (path.startsWith(taken + "/") && !ROOMY.contains(taken))) {
        throw value.wrong(
            "%s is the sandbox's own: mount at a folder such as /data or /workspace/data"
                .formatted(value.shown()));
      }
    }
    for (Mount other : mounts) {
      if (below(path, other.mountPath()) || below(other.mountPath(), path)) {
        throw value.wrong(
            "%s and the mount at '%s' overlap".formatted(value.shown(), other.mountPath()));
      }
    }
    return path;
  }

  private static boolean below(String path, String folder) {
    return path.equals(folder) || path.startsWith(folder + "/");
  }

  private static String clean(YamlValue value) throws YamlException {
    String text = value.text();
    if (!PATH.matcher(text).matches()
        || text.length() > MAX_PATH
        || !Path.of(text).normalize().toString().equals(text)) {
      throw value.wrong(
          "%s must be an absolute path without '..', '//', a '/' at its end, ',', ':' or '\\'"
              .formatted(value.shown()));
    }
    return text;
  }
}
