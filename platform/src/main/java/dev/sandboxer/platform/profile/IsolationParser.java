package dev.sandboxer.platform.profile;

import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code isolation}. */
final class IsolationParser {

  private static final Pattern RUNTIME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}");

  private IsolationParser() {}

  /**
   * What the section says.
   *
   * @param level to establish
   * @param runtime container runtime, null for the backend's default
   */
  record Isolation(IsolationLevel level, @Nullable String runtime) {}

  /**
   * Reads the section.
   *
   * @param value the section, if there is one
   * @param image of the profile; an image alone asks for a container
   * @param process whether the profile names a backend that has nothing but processes
   * @param problems gets every mistake
   * @return what is set
   */
  static Isolation parse(
      Optional<YamlValue> value, @Nullable String image, boolean process, YamlProblems problems) {
    IsolationLevel silent =
        image == null || process ? IsolationLevel.PROCESS : IsolationLevel.CONTAINER;
    Optional<YamlMap> map =
        value.flatMap(section -> problems.read(Optional.empty(), () -> Optional.of(section.map())));
    map.ifPresent(known -> known.allowOnly(Set.of("level", "runtime"), Set.of(), problems));
    Optional<YamlValue> level = map.flatMap(section -> section.find("level"));
    Optional<YamlValue> runtime = map.flatMap(section -> section.find("runtime"));
    return new Isolation(
        level.isEmpty()
            ? silent
            : problems.read(silent, () -> Constants.of(IsolationLevel.class, level.get())),
        runtime.isEmpty()
            ? null
            : problems.<@Nullable String>read(null, () -> runtime(runtime.get())));
  }

  private static String runtime(YamlValue value) throws YamlException {
    String text = value.text();
    if (!RUNTIME.matcher(text).matches()) {
      throw value.wrong(
          "%s must be the name of a runtime of the engine, such as runc or runsc"
              .formatted(value.shown()));
    }
    return text;
  }
}
