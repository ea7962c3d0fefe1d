package dev.sandboxer.platform.token;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * Replaces the keys that sign client tokens: next is published first, then signs as current, then
 * only checks as previous until no token of it can live. Any node takes the steps, one at a time;
 * all follow by reading.
 */
@ApplicationScoped
public class KeyRotation {

  private static final Logger LOG = Logger.getLogger(KeyRotation.class);
  private static final int HOURS = 720;
  private static final int MOST_HOURS = 87_600;
  private static final int PUBLISH_SECONDS = 180;
  private static final int MOST_PUBLISH_SECONDS = 86_400;
  private static final long LONGEST_TOKEN_SECONDS = 960;

  private final Jdbi jdbi;
  private final SigningKeys keys;
  private final Duration age;
  private final Duration publish;

  KeyRotation(Jdbi jdbi, SigningKeys keys, Settings settings) {
    this.jdbi = jdbi;
    this.keys = keys;
    this.age = Duration.ofHours(settings.number(Setting.SANDBOXER_KEY_HOURS, HOURS, MOST_HOURS));
    this.publish =
        settings.seconds(
            Setting.SANDBOXER_KEY_PUBLISH_SECONDS, PUBLISH_SECONDS, MOST_PUBLISH_SECONDS);
  }

  /** Takes the step that is due, if one is, and reads what other nodes did. */
  @RunOnVirtualThread
  @Scheduled(identity = "signing keys", every = "2s", concurrentExecution = SKIP)
  void step() {
    jdbi.useTransaction(
        open -> {
          lock(open);
          if (old(open)) {
            publishNext(open);
          }
          promote(open);
          retire(open);
        });
    keys.follow();
  }

  /**
   * Begins a rotation now, unless one is under way.
   *
   * @return the keys as they are now
   */
  public List<KeyStanding> begin() {
    jdbi.useTransaction(
        open -> {
          lock(open);
          publishNext(open);
        });
    keys.follow();
    return list();
  }

  /**
   * The keys of client tokens.
   *
   * @return newest first, retired ones too
   */
  public List<KeyStanding> list() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    select kid, state, created_at, activate_at from signing_key
                    where purpose = 'client' order by activate_at desc, kid
                    """)
                .map(ConstructorMapper.of(KeyStanding.class))
                .list());
  }

  private static void lock(Handle open) {
    open.createQuery("select pg_advisory_xact_lock(hashtextextended('signing_key', 0))")
        .mapTo(String.class)
        .findOne();
  }

  private boolean old(Handle open) {
    return open.createQuery(
            """
            select exists (select 1 from signing_key where purpose = 'client'
              and state = 'current'
              and activate_at < clock_timestamp() - make_interval(secs => :age))
            """)
        .bind("age", age.toSeconds())
        .mapTo(Boolean.class)
        .one();
  }

  private void publishNext(Handle open) {
    keys.insertNext(open, publish);
  }

  private static void promote(Handle open) {
    int demoted =
        open.createUpdate(
                """
                update signing_key set state = 'previous',
                  retired_at = clock_timestamp() + make_interval(secs => :seconds)
                where purpose = 'client' and state = 'current' and exists (
                  select 1 from signing_key where purpose = 'client' and state = 'next'
                    and activate_at <= clock_timestamp())
                """)
            .bind("seconds", LONGEST_TOKEN_SECONDS)
            .execute();
    if (demoted == 1) {
      open.execute(
          "update signing_key set state = 'current' where purpose = 'client' and state = 'next'");
      LOG.info("a new key signs client tokens");
    }
  }

  private static void retire(Handle open) {
    open.execute(
        """
        update signing_key set state = 'retired'
        where purpose = 'client' and state = 'previous' and retired_at <= clock_timestamp()
        """);
  }

  /**
   * A key, without its private part.
   *
   * @param kid its id in tokens
   * @param state next, current, previous or retired
   * @param createdAt instant it was made
   * @param activateAt from when on it signs
   */
  public record KeyStanding(String kid, String state, Instant createdAt, Instant activateAt) {}
}
