package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import dev.sandboxer.yaml.YamlException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings files into the database, once each, what is extended before what extends it, and says what
 * became of them.
 */
final class ProfileImport implements Layers.Bases {

  private static final Logger LOG = Logger.getLogger(ProfileImport.class);

  private final ProfileVersions versions;
  private final ProfileOptions options;
  private final Map<String, List<ProfileFile>> files;
  private final Map<String, ProfileFile> winners = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, ProfileEntry> entries = new TreeMap<>();
  private final Set<String> begun = new HashSet<>();

  /**
   * Prepares.
   *
   * @param files those that win first
   */
  ProfileImport(ProfileVersions versions, ProfileOptions options, List<ProfileFile> files) {
    this.versions = versions;
    this.options = options;
    this.files =
        files.stream()
            .collect(Collectors.groupingBy(ProfileFile::id, TreeMap::new, Collectors.toList()));
    this.files.values().stream()
        .map(List::getFirst)
        .forEach(
            file -> {
              winners.put(file.reference(), file);
              names.put(file.text(), file.name());
            });
  }

  /** Imports. */
  List<ProfileEntry> run() {
    for (ProfileRecipe stored : versions.newest()) {
      String id = stored.profile().id();
      entries.put(id, new ProfileEntry(id, stored, ProfileEntry.DATABASE, List.of(), null));
    }
    files.keySet().forEach(this::importOne);
    return List.copyOf(entries.values());
  }

  @Override
  public Optional<Layers.Base> find(String id, int version, String reference) {
    return versions
        .source(id, version)
        .map(text -> new Layers.Base(names.getOrDefault(text, reference), text))
        .or(
            () ->
                Optional.ofNullable(winners.get(reference))
                    .map(file -> new Layers.Base(file.name(), file.text())));
  }

  @Override
  public List<Integer> versions(String id) {
    return versions.versions(id);
  }

  private void importOne(String id) {
    if (!begun.add(id)) {
      return;
    }
    ProfileFile first = files.getOrDefault(id, List.of()).getFirst();
    first.base().map(winners::get).map(ProfileFile::id).ifPresent(this::importOne);
    Result result = read(first);
    @Nullable ProfileError error = result.error();
    if (error != null) {
      LOG.errorf(
          "profile file is wrong %s:%d: %s: %s",
          error.file(), error.line(), error.field(), error.message());
    }
    List<String> shadowed =
        files.getOrDefault(id, List.of()).stream()
            .skip(1)
            .map(file -> file.path().toString())
            .toList();
    entries.put(
        id, new ProfileEntry(id, result.recipe(), first.path().toString(), shadowed, error));
  }

  private record Result(@Nullable ProfileRecipe recipe, @Nullable ProfileError error) {}

  private Result read(ProfileFile file) {
    @Nullable ProfileError unreadable = file.unreadable();
    if (unreadable != null) {
      return new Result(lastGood(file.id()), unreadable);
    }
    ProfileRecipe.Read read = ProfileRecipe.read(file.name(), file.text(), this, options);
    ProfileRecipe recipe = read.recipe();
    if (recipe == null) {
      return new Result(lastGood(file.id()), ProfileError.of(read.problems().getFirst()));
    }
    @Nullable ProfileError base = wrongBase(recipe, file);
    if (base != null) {
      return new Result(lastGood(file.id()), base);
    }
    options.unchecked(recipe).ifPresent(note -> LOG.warnf("profile file %s", note.sentence()));
    if (versions.store(recipe, file.text())) {
      return new Result(recipe, null);
    }
    Profile changed = recipe.profile();
    return new Result(
        versions.find(changed.id(), changed.version()).orElseGet(() -> lastGood(file.id())),
        ProfileError.of(otherContent(recipe)));
  }

  /** What is extended must be right by itself: it may not change once something rests on it. */
  private @Nullable ProfileError wrongBase(ProfileRecipe recipe, ProfileFile file) {
    for (String reference : recipe.bases()) {
      int at = reference.indexOf('@');
      String id = reference.substring(0, at);
      if (versions.source(id, Integer.parseInt(reference.substring(at + 1))).isEmpty()) {
        ProfileEntry base = entries.get(id);
        return base != null && base.error() != null
            ? base.error()
            : new ProfileError(file.name(), 1, "extends", reference + " could not be imported");
      }
    }
    return null;
  }

  private @Nullable ProfileRecipe lastGood(String id) {
    ProfileEntry stored = entries.get(id);
    return stored == null ? null : stored.recipe();
  }

  /** A version says for ever what it said first. */
  static YamlException otherContent(ProfileRecipe recipe) {
    Profile profile = recipe.profile();
    String message =
        "version %d of %s was imported with another content and cannot change: raise the version"
            .formatted(profile.version(), profile.id());
    return recipe
        .document()
        .find("version")
        .map(value -> value.wrong(message))
        .orElseGet(() -> new YamlException(profile.id(), 1, "version", message));
  }
}
