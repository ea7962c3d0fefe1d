package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import dev.sandboxer.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A YAML file of a profile folder, as it was found.
 *
 * @param path of the file
 * @param text its content, empty if it could not be read
 * @param profile what it says, null if it is wrong
 * @param error what is wrong, null if nothing is
 */
record ProfileFile(
    Path path, String text, @Nullable Profile profile, @Nullable ProfileError error) {

  private static final long MAX_BYTES = 256 * 1024;

  /** All {@code .yaml} and {@code .yml} files of one folder, in order of their names. */
  static List<ProfileFile> in(Path folder) throws IOException {
    List<ProfileFile> found = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(ProfileFile::isYaml).sorted().toList()) {
        found.add(read(file));
      }
    }
    return found;
  }

  /** By the file's name where the file says nothing that can be read. */
  String id() {
    @Nullable Profile known = profile;
    return known == null ? "profile." + name().replaceFirst("\\.ya?ml$", "") : known.id();
  }

  String name() {
    return path.getFileName().toString();
  }

  private static boolean isYaml(Path file) {
    String name = file.getFileName().toString();
    return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  private static ProfileFile read(Path file) {
    String name = file.getFileName().toString();
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new YamlException(name, 1, "", "the file is longer than " + MAX_BYTES + " bytes");
      }
      String text = Files.readString(file);
      return new ProfileFile(file, text, ProfileParser.parse(name, text), null);
    } catch (IOException e) {
      return wrong(file, new ProfileError(name, 1, "", "the file can not be read: " + e));
    } catch (YamlException e) {
      return wrong(
          file, new ProfileError(e.file(), e.line(), e.field(), String.valueOf(e.getMessage())));
    }
  }

  private static ProfileFile wrong(Path file, ProfileError error) {
    return new ProfileFile(file, "", null, error);
  }
}
