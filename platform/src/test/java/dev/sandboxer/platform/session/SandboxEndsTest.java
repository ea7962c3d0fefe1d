package dev.sandboxer.platform.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.testing.StoredSpec;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Whoever follows events learns of each session's end, also of those that end with a sandbox. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class SandboxEndsTest {

  private static final String TENANT = "ten_s0000000000000000000";

  @Inject Jdbi jdbi;
  @Inject StoredSpec spec;
  @Inject Sandboxes sandboxes;
  @Inject Events events;

  @Test
  void eachSessionsEndIsToldOnceWithItsOwnReason() {
    SandboxId id = new SandboxId("s0000000000000000000");
    record(id);
    Change failed =
        Change.to(id, SandboxState.FAILED)
            .set("failure_code", "BACKEND_FAILED")
            .set("failure_message", "it broke")
            .set("failure_retryable", false)
            .set("cleanup", "pending");
    assertThat(sandboxes.apply(failed)).isPresent();
    assertThat(sandboxes.apply(Change.to(id, SandboxState.DESTROYING))).isPresent();
    List<Event> ends =
        events.ofSandbox(id.publicId(), 0, 100).stream()
            .filter(event -> event.type().equals("session.ended"))
            .toList();
    assertThat(ends)
        .extracting(event -> event.detail().get("session_id"))
        .containsExactly("ssn_a0000000000000000000", "ssn_b0000000000000000000");
    assertThat(ends)
        .as("the sandbox's own reason is another one")
        .extracting(event -> event.detail().get("end_reason"))
        .containsOnly("failed");
    assertThat(events.ofSandbox(id.publicId(), 0, 100))
        .extracting(Event::seq)
        .containsExactly(1L, 2L, 3L, 4L);
  }

  /** A sandbox that somebody has asked to end, with two sessions. */
  private void record(SandboxId id) {
    jdbi.useTransaction(
        open -> {
          open.execute("insert into tenant (id, name) values (?, 'ends')", TENANT);
          open.execute(
              "insert into profile_version (id, version, content_hash, source) values"
                  + " ('profile.ends', 1, sha256('x'), 'x')");
          open.execute(
              """
              insert into sandbox (id, tenant_id, profile_id, profile_version, extension_id, spec,
                spec_hash, actor, project, state, ttl_seconds, hard_ttl_seconds, hard_expires_at,
                due_at, end_reason)
              values (?, ?, 'profile.ends', 1, 'ext.x', cast(? as jsonb), sha256('x'), 'atm', 'p', 'requested',
                1, 1, clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 day',
                'requested')
              """,
              id,
              TENANT,
              spec.text());
          for (String scope : List.of("a", "b")) {
            open.execute(
                """
                insert into session (id, tenant_id, scope_type, scope_id, sandbox_id,
                  created_sandbox, lease_until)
                values ('ssn_' || ? || '0000000000000000000', ?, 'thread', ?, ?, false,
                  clock_timestamp() + interval '1 h')
                """,
                scope,
                TENANT,
                scope,
                id);
          }
        });
  }
}
