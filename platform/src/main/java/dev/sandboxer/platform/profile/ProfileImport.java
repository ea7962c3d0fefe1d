package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Brings files into the database, once each, and says what became of them. */
final class ProfileImport {

  private static final Logger LOG = Logger.getLogger(ProfileImport.class);

  private final ProfileVersions versions;
  private final Map<String, ProfileEntry> entries = new TreeMap<>();

  ProfileImport(ProfileVersions versions) {
    this.versions = versions;
  }

  /**
   * Imports.
   *
   * @param files those that win first
   */
  List<ProfileEntry> run(List<ProfileFile> files) {
    for (Profile stored : versions.newest()) {
      entries.put(stored.id(), new ProfileEntry(stored.id(), stored, "database", List.of(), null));
    }
    files.stream()
        .collect(Collectors.groupingBy(ProfileFile::id, TreeMap::new, Collectors.toList()))
        .forEach(this::importOne);
    return List.copyOf(entries.values());
  }

  private void importOne(String id, List<ProfileFile> files) {
    ProfileFile first = files.getFirst();
    @Nullable Profile profile = first.profile();
    @Nullable ProfileError error = first.error();
    if (profile != null && !versions.store(profile, first.text())) {
      error = changed(first, profile);
    }
    if (error != null) {
      LOG.errorf(
          "profile file is wrong %s:%d: %s: %s",
          error.file(), error.line(), error.field(), error.message());
      profile = lastGood(id, profile);
    }
    List<String> shadowed = files.stream().skip(1).map(file -> file.path().toString()).toList();
    entries.put(id, new ProfileEntry(id, profile, first.path().toString(), shadowed, error));
  }

  private @Nullable Profile lastGood(String id, @Nullable Profile changed) {
    @Nullable ProfileEntry stored = entries.get(id);
    @Nullable Profile newest = stored == null ? null : stored.profile();
    return changed == null ? newest : versions.find(id, changed.version()).orElse(newest);
  }

  private static ProfileError changed(ProfileFile file, Profile profile) {
    return new ProfileError(
        file.name(),
        1,
        "version",
        "version %d of %s was imported with another content and can not change: raise the version"
            .formatted(profile.version(), profile.id()));
  }
}
