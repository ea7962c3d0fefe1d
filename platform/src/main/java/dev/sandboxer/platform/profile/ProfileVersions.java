package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** The table {@code profile_version}: what each version of each profile says, for ever. */
@ApplicationScoped
class ProfileVersions implements Layers.Bases {

  private static final Logger LOG = Logger.getLogger(ProfileVersions.class);

  private final Jdbi jdbi;
  private final ProfileOptions options;

  /** Versions never change, so what was read once need not be read again. */
  private final Map<String, ProfileRecipe> known = new ConcurrentHashMap<>();

  ProfileVersions(Jdbi jdbi, ProfileOptions options) {
    this.jdbi = jdbi;
    this.options = options;
  }

  /**
   * Stores a version that is not there yet.
   *
   * @return false if the version is there with another content
   */
  boolean store(ProfileRecipe recipe, String text) {
    Profile profile = recipe.profile();
    byte[] hash = ContentHash.of(text);
    boolean same =
        jdbi.inTransaction(
            handle -> {
              handle.execute(
                  """
                  insert into profile_version (id, version, content_hash, source)
                  values (?, ?, ?, ?) on conflict do nothing""",
                  profile.id(),
                  profile.version(),
                  hash,
                  text);
              handle.execute(
                  "update profile_version set retired_at = null where id = ? and retired_at is not"
                      + " null",
                  profile.id());
              return handle
                  .select(
                      "select content_hash = ? from profile_version where id = ? and version = ?",
                      hash,
                      profile.id(),
                      profile.version())
                  .mapTo(Boolean.class)
                  .one();
            });
    if (same) {
      known.put(profile.id() + "@" + profile.version(), recipe);
    }
    return same;
  }

  /** The newest version of each profile. */
  List<ProfileRecipe> newest() {
    return jdbi
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        select distinct on (id) id, version, source from profile_version
                        where retired_at is null
                        order by id, version desc""")
                    .map((row, _) -> new Row(row.getString(1), row.getInt(2), row.getString(3)))
                    .list())
        .stream()
        .map(this::recipe)
        .flatMap(Optional::stream)
        .toList();
  }

  private record Row(String id, int version, String text) {
    String reference() {
      return id + "@" + version;
    }
  }

  /**
   * Offers a profile no longer, unless a sandbox uses it.
   *
   * @return how many live sandboxes use it: not retired unless that is 0
   */
  int retire(String id) {
    return jdbi.inTransaction(
        handle -> {
          int users =
              handle
                  .select(
                      "select count(*) from sandbox where profile_id = ? and state <> 'destroyed'",
                      id)
                  .mapTo(Integer.class)
                  .one();
          if (users == 0) {
            handle.execute(
                "update profile_version set retired_at = clock_timestamp() where id = ?", id);
          }
          return users;
        });
  }

  /** Whether a profile is offered no longer. */
  boolean retired(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "select exists (select 1 from profile_version where id = ? and retired_at is"
                        + " not null)",
                    id)
                .mapTo(Boolean.class)
                .one());
  }

  /** One version. */
  Optional<ProfileRecipe> find(String id, int version) {
    ProfileRecipe before = known.get(id + "@" + version);
    return before != null
        ? Optional.of(before)
        : source(id, version).flatMap(text -> recipe(new Row(id, version, text)));
  }

  /** The text of one version. */
  Optional<String> source(String id, int version) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "select source from profile_version where id = ? and version = ?", id, version)
                .mapTo(String.class)
                .findOne());
  }

  @Override
  public Optional<Layers.Base> find(String id, int version, String reference) {
    return source(id, version).map(text -> new Layers.Base(reference, text));
  }

  @Override
  public List<Integer> versions(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .select("select version from profile_version where id = ? order by version", id)
                .mapTo(Integer.class)
                .list());
  }

  private Optional<ProfileRecipe> recipe(Row row) {
    ProfileRecipe before = known.get(row.reference());
    if (before != null) {
      return Optional.of(before);
    }
    ProfileRecipe.Read read = ProfileRecipe.readStored(row.reference(), row.text(), this, options);
    ProfileRecipe recipe = read.recipe();
    if (recipe == null) {
      // It was good when it was stored: another release's language.
      YamlException first = read.problems().getFirst();
      LOG.warnf("stored profile cannot be read id=%s: %s", row.reference(), first.sentence());
      return Optional.empty();
    }
    known.put(row.reference(), recipe);
    return Optional.of(recipe);
  }
}
