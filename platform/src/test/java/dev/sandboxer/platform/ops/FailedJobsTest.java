package dev.sandboxer.platform.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.LogLines;
import io.quarkus.scheduler.Scheduler;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A repeated job that fails is one line of the log, and runs again. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailedJobsTest {

  private static final String NAME = "fails each time";

  @Inject Scheduler scheduler;

  @Test
  void isOneLineAndRunsAgain() {
    try (LogLines log = LogLines.follow()) {
      var _ =
          scheduler
              .newJob(NAME)
              .setInterval("1s")
              .setTask(
                  _ -> {
                    throw new IllegalStateException("on purpose");
                  },
                  true)
              .schedule();
      await().atMost(Duration.ofSeconds(60)).until(() -> log.with(NAME).size() > 1);
      assertThat(log.with("on purpose"))
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains(
                          "job failed name=%s reason=java.lang.IllegalStateException: on purpose"
                              .formatted(NAME)));
    } finally {
      var _ = scheduler.unscheduleJob(NAME);
    }
  }
}
