package dev.sandboxer.platform.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateLimitsTest {

  @TempDir Path folder;

  private RateLimits limits(int user, int tenant) {
    Map<String, String> settings =
        Map.of(
            "SANDBOXER_USER_RATE",
            Integer.toString(user),
            "SANDBOXER_TENANT_RATE",
            Integer.toString(tenant));
    return new RateLimits(Settings.load(Home.open(folder), settings::get));
  }

  @Test
  void aHastyUserDoesNotUseUpWhatTheTenantsOthersHave() {
    RateLimits limits = limits(2, 10);
    for (int i = 0; i < 100; i++) {
      var _ = limits.count("team", "hasty");
    }
    RateLimits.Standing hasty = limits.count("team", "hasty");
    assertThat(hasty.allowed()).isFalse();
    assertThat(hasty.leftUser()).isZero();
    RateLimits.Standing patient = limits.count("team", "patient");
    assertThat(patient.allowed()).isTrue();
    assertThat(patient.leftTenant()).isGreaterThanOrEqualTo(5);
  }

  @Test
  void aTenantsUsersShareItsLimitAndAnotherTenantHasItsOwn() {
    RateLimits limits = limits(1, 2);
    assertThat(limits.count("team", "one").allowed()).isTrue();
    assertThat(limits.count("team", "two").leftTenant()).isZero();
    assertThat(limits.count("team", "three").allowed()).isFalse();
    assertThat(limits.count("others", "three").allowed()).isTrue();
  }
}
