package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.SandboxIdentity;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jdbi.v3.core.Jdbi;

/** What the database knows of the objects of a place. Read after they were listed. */
@ApplicationScoped
class Records {

  /** An attempt is recorded before its first call, so what is listed has a record by now. */
  private static final String UNRECORDED =
      """
      select i.number from unnest(cast(:uids as text[]), cast(:sandboxes as text[]),
          cast(:generations as integer[]), cast(:attempts as integer[]))
          with ordinality as i (uid, sandbox, generation, attempt, number)
        left join attempt a on a.sandbox_id = i.sandbox and a.generation = i.generation
          and a.number = i.attempt
      where (a.id is null
             or (a.cleanup in ('done', 'abandoned')
                 and coalesce(a.cleaned_at, a.ended_at) < cast(:began as timestamptz)))
        and not exists (
          select 1 from attempt o
          where o.extension_id = :extension and o.host_id = :host and o.provider_uid = i.uid
            and (o.cleanup is null or o.cleanup = 'pending'))
      order by i.number
      """;

  private static final String LIVE =
      """
      select s.id as sandbox, a.generation, a.number as attempt, a.provider_uid
      from sandbox s join attempt a on a.id = s.attempt_id
      where s.state in ('ready', 'active') and s.desired = 'running' and a.phase = 'ready'
        and s.ready_at < cast(:began as timestamptz)
        and a.extension_id = :extension and a.host_id = :host
      """;

  private static final String CLAIMED =
      """
      select exists (select 1 from sweep
        where extension_id = :extension and host_id = :host and claim_token = :token
          and claim_until > clock_timestamp())
      """;

  private final Jdbi jdbi;
  private final Installation installation;

  Records(Jdbi jdbi, Installation installation) {
    this.jdbi = jdbi;
    this.installation = installation;
  }

  /**
   * An attempt whose sandbox lives.
   *
   * @param sandbox its id
   * @param generation of the sandbox
   * @param attempt within the generation
   * @param providerUid the backend's own id
   */
  record Live(SandboxId sandbox, int generation, int attempt, String providerUid) {}

  /**
   * Those of this installation that were made before the listing and have no record, or are
   * recorded as removed.
   */
  List<InventoryObject> unrecorded(Place place, List<InventoryObject> listed) {
    List<InventoryObject> before =
        listed.stream()
            .filter(object -> object.identity().installation().equals(installation.id()))
            .filter(object -> object.createdAt().isBefore(place.began()))
            .toList();
    return jdbi.withHandle(
        open ->
            open.createQuery(UNRECORDED)
                .bind(
                    "uids",
                    before.stream().map(InventoryObject::providerUid).toArray(String[]::new))
                .bind("extension", place.extension().text())
                .bind("host", place.host().id())
                .bind("sandboxes", each(before, String[]::new, SandboxIdentity::sandbox))
                .bind("generations", each(before, Integer[]::new, SandboxIdentity::generation))
                .bind("attempts", each(before, Integer[]::new, SandboxIdentity::attempt))
                .bind("began", began(place))
                .mapTo(Integer.class)
                .map(number -> before.get(number - 1))
                .list());
  }

  /** Whether an object still has no record, and the claim of its place holds. */
  boolean stillUnrecorded(Place place, InventoryObject object) {
    return claimed(place) && !unrecorded(place, List.of(object)).isEmpty();
  }

  private boolean claimed(Place place) {
    return jdbi.withHandle(
        open ->
            open.createQuery(CLAIMED)
                .bind("extension", place.extension().text())
                .bind("host", place.host().id())
                .bind("token", place.token())
                .mapTo(Boolean.class)
                .one());
  }

  /** Those that were ready before the listing and still are to run. */
  List<Live> live(Place place) {
    return jdbi.withHandle(
        open ->
            open.createQuery(LIVE)
                .bind("began", began(place))
                .bind("extension", place.extension().text())
                .bind("host", place.host().id())
                .map(
                    (row, _) ->
                        new Live(
                            new SandboxId(row.getString("sandbox")),
                            row.getInt("generation"),
                            row.getInt("attempt"),
                            row.getString("provider_uid")))
                .list());
  }

  private static <T> T[] each(
      List<InventoryObject> objects, IntFunction<T[]> array, Function<SandboxIdentity, T> part) {
    return objects.stream().map(InventoryObject::identity).map(part).toArray(array);
  }

  private static OffsetDateTime began(Place place) {
    return place.began().atOffset(ZoneOffset.UTC);
  }
}
