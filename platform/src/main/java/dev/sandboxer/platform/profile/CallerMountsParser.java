package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.mount.CallerMounts;
import dev.sandboxer.platform.mount.CallerMounts.Mode;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads {@code caller_mounts}. Whether the operator has granted a root is seen at each create. */
final class CallerMountsParser {

  static final Set<String> KNOWN = Set.of("roots", "modes", "max", "unlimited");

  private CallerMountsParser() {}

  static CallerMounts parse(Optional<YamlValue> value, YamlProblems problems) {
    return value.isEmpty()
        ? CallerMounts.NONE
        : problems.read(CallerMounts.NONE, () -> read(value.get().map(), problems));
  }

  private static CallerMounts read(YamlMap map, YamlProblems problems) throws YamlException {
    map.allowOnly(KNOWN, Set.of(), problems);
    YamlValue modes = map.get("modes");
    Set<Mode> allowed = modes(modes);
    Optional<YamlValue> roots = map.find("roots");
    List<String> folders = roots.isEmpty() ? List.of() : folders(roots.get());
    if (folders.isEmpty() && allowed.stream().anyMatch(Mode::ofHost)) {
      throw modes.wrong(
          "ro and rw need 'roots': the folders of the host below which callers may mount");
    }
    Optional<YamlValue> unlimited = map.find("unlimited");
    if (unlimited.isPresent() && !allowed.contains(Mode.RW)) {
      throw unlimited.get().wrong("'unlimited' goes with the mode rw only");
    }
    Optional<YamlValue> max = map.find("max");
    int most = max.isEmpty() ? MountRules.MOST : max.get().integer(0, MountRules.MOST);
    return new CallerMounts(folders, allowed, most);
  }

  private static Set<Mode> modes(YamlValue value) throws YamlException {
    Set<Mode> modes = EnumSet.noneOf(Mode.class);
    for (YamlValue item : value.list()) {
      modes.add(Constants.of(Mode.class, item));
    }
    if (modes.isEmpty()) {
      throw value.wrong(
          "name at least one of ro, rw, tmpfs and volume, or leave caller_mounts out");
    }
    return modes;
  }

  private static List<String> folders(YamlValue value) throws YamlException {
    List<YamlValue> items = value.list();
    if (items.size() > MountRules.MOST) {
      throw value.wrong("name at most %d folders".formatted(MountRules.MOST));
    }
    List<String> folders = new ArrayList<>();
    for (YamlValue item : items) {
      folders.add(MountsParser.path(item, MountRules::source));
    }
    return folders;
  }
}
