package dev.sandboxer.platform.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.Test;

/** The table of legal transitions and the trigger that enforces it say the same. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class TransitionTableTest {

  private static final String ROW = "a0000000000000000000";

  @Inject Jdbi jdbi;

  @Test
  void everyPairOfStatesIsAllowedOrRefusedAsTheTableSays() {
    Set<String> legal = new TreeSet<>(pairs());
    List<String> wrong = new ArrayList<>();
    for (SandboxState from : SandboxState.values()) {
      for (SandboxState to : SandboxState.values()) {
        boolean wanted = from == to || legal.contains(from.text() + " " + to.text());
        if (allowed(from, to) != wanted) {
          wrong.add(from + " to " + to + " should be " + (wanted ? "allowed" : "refused"));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(legal)
        .contains("requested provisioning", "destroying destroyed")
        .hasSizeGreaterThan(30);
    assertThat(legal).noneMatch(pair -> pair.startsWith("destroyed "));
  }

  @Test
  void aNewSandboxIsRequestedOrPooled() {
    for (SandboxState state : SandboxState.values()) {
      boolean wanted = state == SandboxState.REQUESTED || state == SandboxState.POOLED;
      assertThat(inserted(state)).as(state.text()).isEqualTo(wanted);
    }
  }

  @Test
  void claimTokensAndGenerationsNeverGoBack() {
    inTransactionThatIsUndone(
        open -> {
          place(open, SandboxState.READY);
          open.execute("update sandbox set claim_token = 5, generation = 1");
          assertThatThrownBy(() -> open.execute("update sandbox set claim_token = 4"))
              .isInstanceOf(JdbiException.class)
              .hasMessageContaining("went back");
        });
    inTransactionThatIsUndone(
        open -> {
          place(open, SandboxState.READY);
          assertThatThrownBy(() -> open.execute("update sandbox set generation = 3"))
              .isInstanceOf(JdbiException.class)
              .hasMessageContaining("generation 1");
        });
  }

  private List<String> pairs() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("select from_state || ' ' || to_state from state_transition")
                .mapTo(String.class)
                .list());
  }

  private boolean allowed(SandboxState from, SandboxState to) {
    boolean again =
        to == SandboxState.REQUESTED
            && from != SandboxState.PROVISIONING
            && from != to
            && from != SandboxState.POOLED;
    return succeeds(
        open -> {
          place(open, from);
          open.createUpdate(
                  "update sandbox set state = :to, generation = generation + :again where id = :id")
              .bind("to", to.text())
              .bind("again", again ? 1 : 0)
              .bind("id", ROW)
              .execute();
        });
  }

  private boolean inserted(SandboxState state) {
    return succeeds(open -> insert(open, state));
  }

  /** A row in any state, past the trigger. */
  private static void place(Handle open, SandboxState state) {
    open.execute("set local session_replication_role = replica");
    insert(open, state);
    open.execute("set local session_replication_role = origin");
  }

  private static void insert(Handle open, SandboxState state) {
    open.execute("set constraints all deferred");
    open.execute("insert into tenant (id, name) values ('ten_" + ROW + "', 'transitions')");
    open.execute(
        "insert into profile_version (id, version, content_hash, source) values"
            + " ('profile.transitions', 1, sha256('x'), 'x')");
    open.createUpdate(
            """
            insert into sandbox (id, tenant_id, profile_id, profile_version, extension_id, spec,
              spec_hash, actor, project, state, attempt_id, ttl_seconds, hard_ttl_seconds,
              expires_at, ready_at, destroyed_at, failure_code, end_reason, cleanup)
            values (:id, 'ten_' || :id, 'profile.transitions', 1, 'ext.x', '{}', sha256('x'), 'atm',
              'p', :state, 'att_x', 1, 1, clock_timestamp(), clock_timestamp(), clock_timestamp(),
              'CRASH', 'requested', 'pending')
            """)
        .bind("id", ROW)
        .bind("state", state.text())
        .execute();
  }

  private interface Step {
    void on(Handle open);
  }

  private boolean succeeds(Step step) {
    try {
      inTransactionThatIsUndone(step);
      return true;
    } catch (JdbiException e) {
      return false;
    }
  }

  private void inTransactionThatIsUndone(Step step) {
    jdbi.useHandle(
        handle -> {
          handle.begin();
          try {
            step.on(handle);
          } finally {
            handle.rollback();
          }
        });
  }
}
