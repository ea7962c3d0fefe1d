package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.platform.ops.WakeableLoop;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import dev.sandboxer.platform.sandbox.ProfileRef;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.yaml.YamlException;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The profiles. Files in {@code $SANDBOXER_HOME/profiles} and {@code $SANDBOXER_DIST/profiles} (the
 * home wins) are imported at start and whenever they change; from then on the database says what a
 * version is.
 */
@Startup
@ApplicationScoped
public class ProfileStore {

  private static final Pattern REFERENCE =
      Pattern.compile("(?:profile\\.)?([a-z0-9][a-z0-9-]{0,62})(?:@([1-9]\\d{0,8}))?");

  private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration LOOK = Duration.ofMillis(500);

  private final ProfileVersions versions;
  private final ProfileOptions options;
  private final List<Path> folders;
  private final WakeableLoop loop = new WakeableLoop(LOOK);
  private volatile List<ProfileEntry> entries;
  private volatile FolderState imported;
  private @Nullable FolderState seen;

  ProfileStore(ProfileVersions versions, ProfileOptions options, Home home, Settings settings) {
    this.versions = versions;
    this.options = options;
    List<Path> all = new ArrayList<>(List.of(home.resolve("profiles")));
    settings
        .path(Setting.SANDBOXER_DIST)
        .map(dist -> dist.toAbsolutePath().resolve("profiles"))
        .ifPresent(all::add);
    this.folders = List.copyOf(all);
    this.imported = FolderState.of(folders);
    this.entries = read();
  }

  /**
   * Reads all files again and imports what is new. A file that is wrong, or that gives a stored
   * version another content, is listed with its error and changes nothing.
   *
   * @throws StartupException if a folder cannot be read
   */
  public synchronized void importFiles() {
    FolderState now = FolderState.of(folders);
    entries = read();
    imported = now;
  }

  /** Follows the files for as long as the node runs. */
  public void start() {
    loop.start("profiles", this::importChanges);
  }

  /** Ends. */
  public void stop() {
    loop.stop();
  }

  /**
   * Imports if files have changed and have been left alone since the last look: an editor that
   * writes in several steps is not read in between.
   */
  private synchronized void importChanges() {
    FolderState now = FolderState.of(folders);
    boolean settled = now.equals(seen);
    seen = now;
    if (settled && !now.equals(imported)) {
      entries = read();
      imported = now;
    }
  }

  private List<ProfileEntry> read() {
    try {
      List<ProfileFile> found = new ArrayList<>();
      for (Path folder : folders) {
        found.addAll(ProfileFile.in(folder));
      }
      return new ProfileImport(versions, options, found).run();
    } catch (IOException e) {
      throw new StartupException("the profiles cannot be read: " + e, e);
    }
  }

  /**
   * Finds a profile.
   *
   * @param reference {@code local}, {@code profile.local} (the version that counts now) or {@code
   *     profile.local@1}
   * @return as far as it is known without inputs; empty if there is none
   */
  public Optional<Profile> find(String reference) {
    return look(reference).map(ProfileRecipe::profile);
  }

  /**
   * Offers a profile no longer. What was made of it stays as it is; a file brings it back.
   *
   * @param id {@code profile.<name>}
   * @throws ProblemException NOT_FOUND if there is none, INVALID_STATE if a file has it or a
   *     sandbox uses it
   */
  public synchronized void retire(String id) {
    importFiles();
    ProfileEntry entry =
        entries.stream()
            .filter(one -> one.id().equals(id))
            .findFirst()
            .orElseThrow(
                () ->
                    new ProblemException(
                        ErrorCode.NOT_FOUND, "there is no profile '%s'".formatted(id)));
    if (!entry.source().equals(ProfileEntry.DATABASE)) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "profile '%s' stands in %s; remove the file first".formatted(id, entry.source()));
    }
    int users = versions.retire(id);
    if (users > 0) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "profile '%s' is used by %d %s; destroy them first"
              .formatted(id, users, users == 1 ? "sandbox" : "sandboxes"));
    }
    importFiles();
  }

  /**
   * What a sender may not expect of a profile: that its file does not count as it stands.
   *
   * @param reference as {@link #find}; one with a version gets what it names
   * @return sentences without paths of the host
   */
  public List<String> warnings(String reference) {
    String id = reference.startsWith("profile.") ? reference : "profile." + reference;
    return entries.stream()
        .filter(entry -> entry.id().equals(id))
        .filter(entry -> entry.error() != null && entry.profile() != null)
        .map(ProfileStore::warning)
        .toList();
  }

  private static String warning(ProfileEntry entry) {
    ProfileEntry.ProfileError error = Objects.requireNonNull(entry.error());
    return "version %d of %s was used, not its file, in which line %d is wrong: %s"
        .formatted(
            Objects.requireNonNull(entry.profile()).version(),
            entry.id(),
            error.line(),
            error.message());
  }

  /**
   * Finds a profile with what it wants of a caller. One that is not known may stand in a file that
   * was just written: the look at files that changed is waited for, at most ten seconds.
   *
   * @param reference as {@link #find}
   * @return empty if there is none
   */
  public Optional<ProfileRecipe> recipe(String reference) {
    boolean old = reference.contains("@");
    return look(reference).filter(found -> !old || !versions.retired(found.profile().id()));
  }

  private Optional<ProfileRecipe> look(String reference) {
    Matcher match = REFERENCE.matcher(reference);
    if (!match.matches()) {
      return Optional.empty();
    }
    String id = "profile." + match.group(1);
    String version = match.group(2);
    long until = System.nanoTime() + LONGEST_LOOK.toNanos();
    Optional<ProfileRecipe> found = known(id, version);
    boolean changed = true;
    while (found.isEmpty() && changed && System.nanoTime() - until < 0) {
      changed = unreadChanges();
      found = known(id, version);
    }
    return found;
  }

  /**
   * What secrets a stored version refers to, also where this release cannot read the rest of it.
   *
   * @param profile id and version
   * @return empty if that cannot be said
   */
  public Optional<List<SecretRef>> secretRefs(ProfileRef profile) {
    return find(profile.toString())
        .map(Profile::secretRefs)
        .or(() -> without(profile, "secret_refs").map(_ -> List.of()));
  }

  /**
   * What a stored version has run once, also where this release cannot read the rest of it.
   *
   * @param profile id and version
   * @return empty if that cannot be said
   */
  public Optional<Setup> setup(ProfileRef profile) {
    return find(profile.toString())
        .map(Profile::setup)
        .or(() -> without(profile, "setup").map(_ -> Setup.NONE));
  }

  /** A text that has none of these words does not have the key, whatever else it says. */
  private Optional<String> without(ProfileRef profile, String key) {
    return versions
        .source(profile.id(), profile.version())
        .filter(text -> !text.contains(key) && !text.contains("extends"));
  }

  private Optional<ProfileRecipe> known(String id, @Nullable String version) {
    return version == null ? current(id) : versions.find(id, Integer.parseInt(version));
  }

  /** Gives the next look time to read what has changed; false if nothing has. */
  private boolean unreadChanges() {
    if (FolderState.of(folders).equals(imported)) {
      return false;
    }
    LockSupport.parkNanos(PAUSE.toNanos());
    return !Thread.currentThread().isInterrupted();
  }

  private Optional<ProfileRecipe> current(String id) {
    return entries.stream()
        .filter(entry -> entry.id().equals(id))
        .flatMap(entry -> Optional.ofNullable(entry.recipe()).stream())
        .findFirst();
  }

  /**
   * Which versions of a profile can be used.
   *
   * @param id {@code profile.<name>}
   * @return from the oldest on
   */
  public List<Integer> versions(String id) {
    return versions.versions(id);
  }

  /**
   * Checks a text as if it were a file, and stores nothing.
   *
   * @param file name for the errors
   * @param text of the file
   * @return what is wrong, and what could not be checked
   */
  public ProfileLint lint(String file, String text) {
    ProfileRecipe.Read read = ProfileRecipe.read(file, text, versions, options);
    List<YamlException> problems = new ArrayList<>(read.problems());
    List<YamlException> notes = new ArrayList<>();
    ProfileRecipe recipe = read.recipe();
    if (recipe != null) {
      Profile profile = recipe.profile();
      versions
          .source(profile.id(), profile.version())
          .filter(stored -> !stored.equals(text))
          .ifPresent(_ -> problems.add(ProfileImport.otherContent(recipe)));
      options.unchecked(recipe).ifPresent(notes::add);
      problems.addAll(options.unmet(recipe));
    }
    problems.sort(Comparator.comparingInt(YamlException::line));
    return new ProfileLint(
        problems.stream().map(ProfileError::of).toList(),
        notes.stream().map(ProfileError::of).toList());
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
