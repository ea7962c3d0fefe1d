package dev.sandboxer.platform.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.LogLines;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import org.junit.jupiter.api.Test;

/** Where no receiver of traces is set. */
@QuarkusTest
@TestProfile(InProcess.class)
class UntracedTest {

  @Test
  void nothingIsTracedWhereNobodyAsked() {
    Api quiet = InProcess.api();
    try (LogLines log = LogLines.follow()) {
      Api.Reply made =
          quiet.post(
              "/v1/sandboxes",
              Api.create("local"),
              "Prefer",
              "wait=60",
              "traceparent",
              "00-3af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
              "X-Request-Id",
              "req_quiet");
      assertThat(made.status()).isEqualTo(201);
      assertThat(quiet.access(made.field("/id")).exec("true").status()).isEqualTo(200);
      assertThat(log.with("request_id=req_quiet")).isNotEmpty();
      assertThat(log.with("trace_id")).isEmpty();
      assertThat(log.with("traces are")).isEmpty();
    }
  }
}
