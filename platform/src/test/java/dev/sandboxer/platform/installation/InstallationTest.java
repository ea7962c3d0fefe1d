package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class InstallationTest {

  @Inject Jdbi jdbi;
  @Inject Installation current;
  @TempDir Path folder;

  @AfterEach
  void setBack() {
    jdbi.useHandle(
        handle -> {
          handle.execute("update installation set restore_epoch = 1, accepted_epoch = 1");
          handle.execute("update node set lease_until = clock_timestamp() + interval '1 minute'");
        });
  }

  @Test
  void anEmptyHomeTakesTheDatabasesId() throws IOException {
    Installation opened = store().open();
    assertThat(opened).isEqualTo(current);
    assertThat(Files.readString(folder.resolve("installation")).strip())
        .isEqualTo(current.id() + " " + current.restoreEpoch());
    assertThat(store().open().sweepsReportOnly()).isFalse();
  }

  /** It may be a copy, beside which the original goes on making sandboxes. */
  @Test
  void anEmptyHomeBesideADatabaseWhoseNodesAreAllGoneIsDoubted() {
    jdbi.useTransaction(
        handle ->
            handle.execute(
                "update node set lease_until = clock_timestamp() - interval '1 minute'"));
    assertThat(store().open().sweepsReportOnly()).isTrue();
    assertThat(store().countSweep()).isPresent();
    store().accept();
    assertThat(store().open().sweepsReportOnly()).isFalse();
    assertThat(store().countSweep()).isEmpty();
  }

  @Test
  void aForeignHomeMakesSweepsReportOnlyUntilTheOperatorAccepts() throws IOException {
    UUID other = UUID.randomUUID();
    write(other + " 1");
    Installation opened = store().open();
    assertThat(opened.sweepsReportOnly()).isTrue();
    assertThat(opened.id()).isEqualTo(current.id());
    assertThat(opened.doubt().orElseThrow()).contains(other.toString(), current.id());
    assertThat(store().open().sweepsReportOnly()).isTrue();
    store().accept();
    Installation accepted = store().open();
    assertThat(accepted.sweepsReportOnly()).isFalse();
    assertThat(accepted.restoreEpoch()).as("what neither had").isGreaterThan(1);
  }

  @Test
  void aHomeFollowsAnEpochThatWasAcceptedOnAnotherNode() throws IOException {
    store().open();
    store().accept();
    Installation accepted = store().open();
    write(current.id() + " " + (accepted.restoreEpoch() - 1));
    assertThat(store().open().sweepsReportOnly()).isFalse();
    assertThat(Files.readString(folder.resolve("installation")).strip())
        .isEqualTo(current.id() + " " + accepted.restoreEpoch());
  }

  @Test
  void aDatabaseThatHasCountedFewerSweepsWasSetBack() throws IOException {
    store().open();
    assertThat(store().countSweep()).isEmpty();
    assertThat(store().countSweep()).isEmpty();
    Files.writeString(folder.resolve("sweeps"), "1000000");
    assertThat(store().countSweep().orElseThrow()).contains("this home has seen 1000000");
    assertThat(store().countSweep()).as("also from now on").isPresent();
    assertThat(store().open().sweepsReportOnly()).as("and after a start").isTrue();
    store().accept();
    assertThat(store().countSweep()).isEmpty();
  }

  @Test
  void anotherRestoreEpochMakesSweepsReportOnly() throws IOException {
    write(current.id() + " " + (current.restoreEpoch() + 1));
    assertThat(store().open().sweepsReportOnly()).isTrue();
  }

  @Test
  void aLostDatabaseKeepsTheHomesIdAndIsDoubted() throws IOException {
    write(current.id() + " 7");
    jdbi.useHandle(handle -> handle.execute("delete from installation"));
    Installation opened = store().open();
    assertThat(opened.id()).isEqualTo(current.id());
    assertThat(opened.restoreEpoch()).isEqualTo(8);
    assertThat(opened.sweepsReportOnly()).isTrue();
  }

  @Test
  void anUnreadableFileIsNamed() throws IOException {
    write("nonsense");
    assertThatThrownBy(() -> store().open())
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("nonsense");
  }

  private void write(String text) throws IOException {
    Files.writeString(folder.resolve("installation"), text + "\n");
  }

  private InstallationStore store() {
    return new InstallationStore(Home.open(folder), jdbi);
  }
}
