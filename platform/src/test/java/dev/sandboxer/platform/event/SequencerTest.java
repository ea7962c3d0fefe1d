package dev.sandboxer.platform.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Positions: without a hole, in an order that keeps each subject's, whatever commits when. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class SequencerTest {

  @Inject Jdbi jdbi;

  private final AtomicInteger ids = new AtomicInteger();
  private final List<String> told = new ArrayList<>();
  private Sequencer sequencer;
  private long before;

  @BeforeEach
  void begin() {
    sequencer =
        new Sequencer(
            jdbi, List.of((transaction, after, last) -> told.add(after + 1 + "-" + last)));
    jdbi.useHandle(open -> open.execute("delete from event"));
    before = last();
    told.clear();
  }

  @AfterEach
  void end() {
    jdbi.useHandle(open -> open.execute("delete from event"));
  }

  @Test
  void aLaterCommitOfAnEarlierEventGetsALaterPosition() {
    try (Handle slow = jdbi.open()) {
      slow.begin();
      write(slow, "sb_slow", 1);
      jdbi.useTransaction(quick -> write(quick, "sb_quick", 1));
      assertThat(sequencer.number()).isEqualTo(1);
      assertThat(positions("sb_quick")).containsExactly(before + 1);
      slow.commit();
    }
    assertThat(sequencer.number()).isEqualTo(1);
    assertThat(positions("sb_slow")).containsExactly(before + 2);
    assertThat(told).containsExactly(range(1, 1), range(2, 2));
  }

  @Test
  void eachSubjectKeepsItsOrderAlsoIfTheClockWentBack() {
    jdbi.useTransaction(
        open -> {
          write(open, "sb_a", 1);
          write(open, "sb_a", 2);
          write(open, "sb_b", 1);
          write(open, "sb_a", 3);
          open.execute(
              "update event set occurred_at = occurred_at - interval '1 hour'"
                  + " where subject = 'sb_a' and seq = 3");
        });
    assertThat(sequencer.number()).isEqualTo(4);
    assertThat(positions("sb_a")).isSorted();
    assertThat(all()).isEqualTo(LongStream.rangeClosed(before + 1, before + 4).boxed().toList());
    assertThat(told).containsExactly(range(1, 4));
  }

  @Test
  void whatIsUndoneLeavesNoHole() {
    jdbi.useTransaction(open -> write(open, "sb_a", 1));
    assertThat(sequencer.number()).isEqualTo(1);
    try (Handle undone = jdbi.open()) {
      undone.begin();
      write(undone, "sb_b", 1);
      undone.rollback();
    }
    assertThat(sequencer.number()).isZero();
    jdbi.useTransaction(open -> write(open, "sb_c", 1));
    assertThat(sequencer.number()).isEqualTo(1);
    assertThat(all()).containsExactly(before + 1, before + 2);
    assertThat(last()).isEqualTo(before + 2);
  }

  @Test
  void anObserverThatFailsUndoesTheNumbers() {
    Sequencer failing =
        new Sequencer(
            jdbi,
            List.of(
                (_, _, _) -> {
                  throw new IllegalStateException("no room");
                }));
    jdbi.useTransaction(open -> write(open, "sb_a", 1));
    assertThatThrownBy(failing::number).hasMessageContaining("no room");
    assertThat(last()).isEqualTo(before);
    assertThat(sequencer.number()).isEqualTo(1);
    assertThat(all()).containsExactly(before + 1);
  }

  @Test
  void twoNodesAndManyWritersAtOnceGiveEachPositionOnce() {
    int writers = 8;
    int each = 25;
    CountDownLatch writing = new CountDownLatch(writers);
    Sequencer other = new Sequencer(jdbi, List.of());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<?>> work = new ArrayList<>();
      for (int w = 0; w < writers; w++) {
        String subject = "sb_w" + w;
        work.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int n = 1; n <= each; n++) {
                    int seq = n;
                    jdbi.useTransaction(open -> write(open, subject, seq));
                  }
                  writing.countDown();
                },
                threads));
      }
      for (Sequencer node : List.of(sequencer, other)) {
        work.add(
            CompletableFuture.runAsync(
                () -> {
                  while (writing.getCount() > 0) {
                    var _ = node.number();
                  }
                  var _ = node.number();
                },
                threads));
      }
      work.forEach(CompletableFuture::join);
    }
    assertThat(all())
        .isEqualTo(
            LongStream.rangeClosed(before + 1, before + (long) writers * each).boxed().toList());
    for (int w = 0; w < writers; w++) {
      assertThat(positions("sb_w" + w)).hasSize(each).isSorted();
    }
  }

  private String range(long first, long last) {
    return (before + first) + "-" + (before + last);
  }

  private void write(Handle open, String subject, long seq) {
    open.createUpdate(
            "insert into event (id, subject, seq, type) values (:id, :subject, :seq, 'test.done')")
        .bind("id", "evt_t%019d".formatted(ids.incrementAndGet()))
        .bind("subject", subject)
        .bind("seq", seq)
        .execute();
  }

  private List<Long> positions(String subject) {
    return jdbi.withHandle(
        open ->
            open.createQuery("select position from event where subject = :subject order by seq")
                .bind("subject", subject)
                .mapTo(Long.class)
                .list());
  }

  private List<Long> all() {
    return jdbi.withHandle(
        open ->
            open.createQuery("select position from event order by position")
                .mapTo(Long.class)
                .list());
  }

  private long last() {
    return jdbi.withHandle(
        open -> open.createQuery("select last from event_sequence").mapTo(Long.class).one());
  }
}
