package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@code GET /v1/profiles}: a profile that can be used, or what is wrong with its file,
 * or both (the last good version stays in use).
 *
 * @param id {@code profile.<name>}; by the file's name where the file could not be read
 * @param recipe the version that counts, null if there is none
 * @param source the file, or {@code database} if no file carries it any more
 * @param shadowed files with the same profile that do not count
 * @param error null if all is well
 */
public record ProfileEntry(
    String id,
    @Nullable ProfileRecipe recipe,
    String source,
    List<String> shadowed,
    @Nullable ProfileError error) {

  /** The source of one that no file carries any more. */
  static final String DATABASE = "database";

  /** Keeps an immutable copy. */
  public ProfileEntry {
    shadowed = List.copyOf(shadowed);
  }

  /**
   * The version that counts.
   *
   * @return null if there is none
   */
  public @Nullable Profile profile() {
    ProfileRecipe known = recipe;
    return known == null ? null : known.profile();
  }

  /**
   * What is wrong.
   *
   * @param file name of the file
   * @param line from 1
   * @param field such as {@code resources.memory}, empty for the file as a whole
   * @param message for a person
   */
  public record ProfileError(String file, int line, String field, String message) {

    /**
     * All in one line.
     *
     * @return {@code file:line: field: message}
     */
    public String text() {
      return "%s:%d: %s%s".formatted(file, line, field.isEmpty() ? "" : field + ": ", message);
    }

    static ProfileError of(YamlException e) {
      return new ProfileError(e.file(), e.line(), e.field(), String.valueOf(e.getMessage()));
    }
  }
}
