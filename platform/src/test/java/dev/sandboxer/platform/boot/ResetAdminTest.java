package dev.sandboxer.platform.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.access.AdminKey;
import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.testing.TestDatabase;
import dev.sandboxer.platform.token.Revocations;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** A new admin key ends the one before, and what that one had got. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class ResetAdminTest {

  @Inject Jdbi jdbi;
  @Inject AdminKey adminKey;
  @Inject Revocations revocations;

  private List<String> ids(String sql) {
    return jdbi.withHandle(open -> open.createQuery(sql).mapTo(String.class).list());
  }

  private List<String> live() {
    return ids("select id from api_key where name = 'admin' and ended_at is null");
  }

  @Test
  void theTokensOfTheKeyBeforeAreRevoked() {
    adminKey.ensure();
    List<String> before = live();
    assertThat(before).isNotEmpty();
    assertThat(new ResetAdmin(adminKey, revocations).run(List.of())).isZero();
    assertThat(ids("select id from revocation where scope = 'key'")).containsAll(before);
    assertThat(live()).hasSize(1).doesNotContainAnyElementsOf(before);
    assertThat(ids("select id from revocation where scope = 'key'"))
        .doesNotContainAnyElementsOf(live());
  }
}
