package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a revocation counts: beyond all that it ends, and never beyond its row. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class RevocationEpochsTest {

  private static final Duration A_WHILE = Duration.ofMinutes(10);

  @Inject Jdbi jdbi;
  @Inject Revocations revocations;

  @TempDir Path home;

  private RevocationEpochs epochs;

  @BeforeEach
  void begin() {
    epochs = node();
  }

  @AfterEach
  void end() {
    epochs.stop();
    jdbi.useHandle(open -> open.execute("delete from revocation"));
  }

  /** As one that was started just now. */
  private RevocationEpochs node() {
    return new RevocationEpochs(
        jdbi, List.of(), Settings.load(Home.open(home), Map.<String, String>of()::get));
  }

  /** Revokes a session, as if it had been that long ago. */
  private long revoked(String session, Duration ago) {
    return jdbi.inTransaction(
        open -> {
          long epoch = revocations.revoke(open, Revocations.Kind.SESSION, session);
          open.createUpdate(
                  """
                  update revocation set created_at = clock_timestamp() - make_interval(secs => :ago)
                  where id = :id
                  """)
              .bind("ago", ago.toSeconds())
              .bind("id", session)
              .execute();
          return epoch;
        });
  }

  private long known(String session) {
    return epochs.of(new SandboxId("abcdefghij0123456789"), "tenant", session, null);
  }

  private List<String> rows() {
    return jdbi.withHandle(
        open ->
            open.createQuery("select id from revocation order by id").mapTo(String.class).list());
  }

  @Test
  void whatMayStillLiveStaysRefusedAfterSweepAndRestart() {
    assertThat(TokenMinter.LONGEST_LIFE)
        .isGreaterThanOrEqualTo(TokenMinter.CLIENT_LIFE)
        .isGreaterThanOrEqualTo(TokenMinter.RELAY_LIFE)
        .isGreaterThanOrEqualTo(TokenMinter.PORT_LIFE);
    long epoch = revoked("ssn_pass", TokenMinter.PORT_LIFE.plus(A_WHILE));
    epochs.start();
    assertThat(known("ssn_pass")).isEqualTo(epoch);
    epochs.sweep();
    assertThat(known("ssn_pass")).as("after the sweep").isEqualTo(epoch);
    assertThat(rows()).contains("ssn_pass");
    epochs.stop();
    epochs = node();
    epochs.start();
    assertThat(known("ssn_pass")).as("after a restart").isEqualTo(epoch);
  }

  @Test
  void aNodeThatReadsARowLateForgetsItNotLaterThanOthers() {
    var _ = revoked("ssn_old", RevocationEpochs.KNOWN.plus(A_WHILE));
    epochs.start();
    assertThat(known("ssn_old")).isZero();
    epochs.sweep();
    assertThat(rows()).as("longer than it is known anywhere").contains("ssn_old");
  }

  @Test
  void rowsEndLastOfAll() {
    assertThat(RevocationEpochs.STORED).isGreaterThan(RevocationEpochs.KNOWN.plusHours(1));
    var _ = revoked("ssn_older", RevocationEpochs.STORED.plus(A_WHILE));
    var _ = revoked("ssn_younger", RevocationEpochs.STORED.minus(A_WHILE));
    epochs.start();
    epochs.sweep();
    assertThat(rows()).contains("ssn_younger").doesNotContain("ssn_older");
  }
}
