package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** The table {@code profile_version}: what each version of each profile says, for ever. */
@ApplicationScoped
class ProfileVersions {

  private static final Logger LOG = Logger.getLogger(ProfileVersions.class);

  private final Jdbi jdbi;

  ProfileVersions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Stores a version that is not there yet.
   *
   * @return false if the version is there with another content
   */
  boolean store(Profile profile, String text) {
    byte[] hash = sha256(text);
    return jdbi.inTransaction(
        handle -> {
          handle.execute(
              """
              insert into profile_version (id, version, content_hash, source) values (?, ?, ?, ?)
              on conflict do nothing""",
              profile.id(),
              profile.version(),
              hash,
              text);
          return handle
              .select(
                  "select content_hash = ? from profile_version where id = ? and version = ?",
                  hash,
                  profile.id(),
                  profile.version())
              .mapTo(Boolean.class)
              .one();
        });
  }

  /** The newest version of each profile. */
  List<Profile> newest() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    select distinct on (id) id, source from profile_version
                    order by id, version desc""")
                .map((row, context) -> parse(row.getString(1), row.getString(2)))
                .list()
                .stream()
                .flatMap(Optional::stream)
                .toList());
  }

  Optional<Profile> find(String id, int version) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "select source from profile_version where id = ? and version = ?", id, version)
                .mapTo(String.class)
                .findOne()
                .flatMap(text -> parse(id, text)));
  }

  private static Optional<Profile> parse(String id, String text) {
    try {
      return Optional.of(ProfileParser.parse(id, text));
    } catch (YamlException e) {
      // It was good when it was stored: another release's language.
      LOG.warnf("stored profile can not be read id=%s: %s", id, e.sentence());
      return Optional.empty();
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
