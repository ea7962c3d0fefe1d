package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A YAML file of a profile folder, as it was found.
 *
 * @param path of the file
 * @param text its content, empty if it could not be read
 * @param unreadable why it could not be read, null if it could
 */
record ProfileFile(Path path, String text, @Nullable ProfileError unreadable) {

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
    return field("id").orElseGet(() -> "profile." + name().replaceFirst("\\.ya?ml$", ""));
  }

  /** What other files would extend, such as {@code profile.base@1}. */
  String reference() {
    return id() + "@" + field("version").orElse("");
  }

  /** What it extends, in the same form; empty if nothing that can be read. */
  Optional<String> base() {
    return field("extends").map(name -> name.startsWith("profile.") ? name : "profile." + name);
  }

  String name() {
    return path.getFileName().toString();
  }

  private Optional<String> field(String key) {
    try {
      YamlMap top = YamlFile.read(name(), text);
      return top.find(key).isPresent() ? Optional.of(top.get(key).text()) : Optional.empty();
    } catch (YamlException e) {
      return Optional.empty(); // the import will say it
    }
  }

  static boolean isYaml(Path file) {
    String name = file.getFileName().toString();
    return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  private static ProfileFile read(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        return unreadable(file, "the file is longer than " + MAX_BYTES + " bytes");
      }
      return new ProfileFile(file, Files.readString(file), null);
    } catch (CharacterCodingException e) {
      return unreadable(file, "the file is no text in UTF-8");
    } catch (IOException e) {
      return unreadable(file, "the file cannot be read: " + e);
    }
  }

  private static ProfileFile unreadable(Path file, String why) {
    return new ProfileFile(file, "", new ProfileError(file.getFileName().toString(), 1, "", why));
  }
}
