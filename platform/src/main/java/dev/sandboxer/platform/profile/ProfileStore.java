package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The profiles. Files in {@code $SANDBOXER_HOME/profiles} and {@code $SANDBOXER_DIST/profiles} (the
 * home wins) are imported at start; from then on the database says what a version is.
 */
@Startup
@ApplicationScoped
public class ProfileStore {

  private static final Pattern REFERENCE =
      Pattern.compile("(?:profile\\.)?([a-z0-9][a-z0-9-]{0,62})(?:@([1-9]\\d{0,8}))?");

  private final ProfileVersions versions;
  private final List<Path> folders;
  private volatile List<ProfileEntry> entries;

  ProfileStore(ProfileVersions versions, Home home, Settings settings) {
    this.versions = versions;
    List<Path> all = new ArrayList<>(List.of(home.resolve("profiles")));
    settings
        .path(Setting.SANDBOXER_DIST)
        .map(dist -> dist.toAbsolutePath().resolve("profiles"))
        .ifPresent(all::add);
    this.folders = List.copyOf(all);
    this.entries = imported(versions, folders);
  }

  /**
   * Reads all files again and imports what is new. A file that is wrong, or that gives a stored
   * version another content, is listed with its error and changes nothing.
   *
   * @throws StartupException if a folder can not be read
   */
  public void importFiles() {
    entries = imported(versions, folders);
  }

  private static List<ProfileEntry> imported(ProfileVersions versions, List<Path> folders) {
    try {
      List<ProfileFile> found = new ArrayList<>();
      for (Path folder : folders) {
        found.addAll(ProfileFile.in(folder));
      }
      return new ProfileImport(versions).run(found);
    } catch (IOException e) {
      throw new StartupException("the profiles can not be read: " + e, e);
    }
  }

  /**
   * Finds a profile.
   *
   * @param reference {@code local}, {@code profile.local} (the version that counts now) or {@code
   *     profile.local@1}
   * @return empty if there is none
   */
  public Optional<Profile> find(String reference) {
    Matcher match = REFERENCE.matcher(reference);
    if (!match.matches()) {
      return Optional.empty();
    }
    String id = "profile." + match.group(1);
    return match.group(2) == null
        ? current(id)
        : versions.find(id, Integer.parseInt(match.group(2)));
  }

  private Optional<Profile> current(String id) {
    return entries.stream()
        .filter(entry -> entry.id().equals(id))
        .flatMap(entry -> Optional.ofNullable(entry.profile()).stream())
        .findFirst();
  }

  /**
   * All profiles and all wrong files.
   *
   * @return in order of ids
   */
  public List<ProfileEntry> list() {
    return entries;
  }

  /**
   * What {@link #find} knows.
   *
   * @return ids, in order
   */
  public List<String> names() {
    return entries.stream().filter(entry -> entry.profile() != null).map(ProfileEntry::id).toList();
  }
}
