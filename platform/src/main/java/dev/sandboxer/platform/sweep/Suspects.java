package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.SandboxIdentity;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;

/** The rows of table {@code sweep_suspect}: objects that were listed and had no record. */
@ApplicationScoped
class Suspects {

  private static final String LISTED =
      """
      unnest(cast(:uids as text[]), cast(:sandboxes as text[]), cast(:generations as integer[]),
        cast(:attempts as integer[])) with ordinality
        as i (provider_uid, sandbox, generation, attempt, number)
      """;

  private static final String SAME =
      """
      s.extension_id = :extension and s.host_id = :host and s.provider_uid = i.provider_uid
        and s.sandbox = i.sandbox and s.generation = i.generation and s.attempt = i.attempt
      """;

  private static final String CLEARED =
      """
      delete from sweep_suspect s
      where s.extension_id = :extension and s.host_id = :host
        and not exists (select 1 from %s where %s)
      """
          .formatted(LISTED, SAME);

  private static final String NOTED =
      """
      insert into sweep_suspect (extension_id, host_id, provider_uid, sandbox, generation, attempt)
      select :extension, :host, provider_uid, sandbox, generation, attempt from %s
      on conflict do nothing
      """
          .formatted(LISTED);

  /** First seen by a listing that was over a grace before the present one began. */
  private static final String RIPE =
      """
      select i.number from sweep_suspect s, %s
      where %s
        and s.first_seen_at + make_interval(secs => :grace) <= cast(:began as timestamptz)
      order by i.number
      """
          .formatted(LISTED, SAME);

  private final Jdbi jdbi;
  private final Duration grace;

  Suspects(Jdbi jdbi, Settings settings) {
    this.jdbi = jdbi;
    this.grace = settings.sweepGrace();
  }

  /**
   * Notes what has no record now, and forgets what was noted before and has one, or is gone.
   *
   * @param unrecorded all of a complete listing
   * @return those that were noted by an earlier listing, a grace ago
   */
  List<InventoryObject> note(Place place, List<InventoryObject> unrecorded) {
    return jdbi.inTransaction(
        open -> {
          bound(open.createUpdate(CLEARED), place, unrecorded).execute();
          bound(open.createUpdate(NOTED), place, unrecorded).execute();
          return ripe(open, place, unrecorded);
        });
  }

  /** The same, while nothing may be noted. */
  List<InventoryObject> ripe(Place place, List<InventoryObject> unrecorded) {
    return jdbi.withHandle(open -> ripe(open, place, unrecorded));
  }

  private List<InventoryObject> ripe(Handle open, Place place, List<InventoryObject> unrecorded) {
    return bound(open.createQuery(RIPE), place, unrecorded)
        .bind("grace", grace.toSeconds())
        .bind("began", place.began().atOffset(ZoneOffset.UTC))
        .mapTo(Integer.class)
        .map(number -> unrecorded.get(number - 1))
        .list();
  }

  /** All of them: what was noted beside another database says nothing of this one. */
  void forgetAll() {
    jdbi.useHandle(open -> open.execute("delete from sweep_suspect"));
  }

  private static <T extends SqlStatement<T>> T bound(
      T statement, Place place, List<InventoryObject> objects) {
    List<SandboxIdentity> identities = objects.stream().map(InventoryObject::identity).toList();
    return statement
        .bind("extension", place.extension().text())
        .bind("host", place.host().id())
        .bind("uids", objects.stream().map(InventoryObject::providerUid).toArray(String[]::new))
        .bind("sandboxes", identities.stream().map(SandboxIdentity::sandbox).toArray(String[]::new))
        .bind(
            "generations",
            identities.stream().map(SandboxIdentity::generation).toArray(Integer[]::new))
        .bind(
            "attempts", identities.stream().map(SandboxIdentity::attempt).toArray(Integer[]::new));
  }
}
