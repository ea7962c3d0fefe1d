package dev.sandboxer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What builders assume where nothing is set, and in which form options are kept. */
class ValuesTest {

  private static ExtensionDescriptorBuilder least() {
    return ExtensionDescriptor.builder("ext.sample", "1", ExtensionDescriptor.API_VERSION)
        .isolationLevels(Set.of(IsolationLevel.PROCESS))
        .networkModes(Set.of(NetworkMode.NONE))
        .boxd(BoxdPlacement.INIT)
        .identity(IdentityMode.SEARCH)
        .lateEffectWindow(Duration.ofSeconds(3));
  }

  private static SandboxSpecBuilder spec() {
    return SandboxSpec.builder(
        "profile.x",
        1,
        IsolationLevel.PROCESS,
        new Resources(BigDecimal.ONE, 1, 1, 1, 1, 1),
        Duration.ofHours(1));
  }

  @Test
  void descriptorHasDefaults() {
    ExtensionDescriptor least = least().build();
    assertThat(least.hosting()).isEqualTo(Hosting.SELF_HOSTED);
    assertThat(least.persistence()).isEqualTo(Persistence.NONE);
    assertThat(least.pricing()).isEqualTo(PricingModel.FREE);
    assertThat(least.nodeBound()).isTrue();
    assertThat(least.uidLease()).isFalse();
    assertThat(least.mountDelivery()).isEqualTo(MountDelivery.BIND);
    assertThat(least.limits()).isEmpty();
    assertThat(least.settings()).isEmpty();
    assertThat(least.optionsSchema()).isNull();
    assertThat(least.hostSettingsSchema()).isNull();
    assertThat(least.toBuilder().build()).isEqualTo(least);
  }

  @Test
  void descriptorNamesWhatIsMissingOrWrong() {
    ExtensionDescriptorBuilder empty = ExtensionDescriptor.builder("ext.sample", "1", 1);
    assertThatThrownBy(empty::build).hasMessage("boxd must be set");
    assertThatThrownBy(() -> least().settings(Set.of("Api-Key")).build())
        .hasMessageContaining("setting 'Api-Key' must be lower case letters");
  }

  @Test
  void aCopyKeepsEverything() {
    ExtensionDescriptor all =
        least()
            .hosting(Hosting.SAAS)
            .limits(Set.of(Limit.CPUS))
            .persistence(Persistence.SNAPSHOTS)
            .regions(Set.of("eu"))
            .architectures(Set.of("arm64"))
            .pricing(PricingModel.ACTIVE)
            .nodeBound(false)
            .uidLease(true)
            .mountDelivery(MountDelivery.COPY)
            .settings(Set.of("key"))
            .optionsSchema("{}")
            .hostSettingsSchema("{}")
            .build();
    assertThat(all.toBuilder().build()).isEqualTo(all).isNotEqualTo(least().build());
    SandboxSpec spec =
        spec()
            .image("debian:13")
            .runtime("runsc")
            .network(new Network(NetworkMode.PUBLIC, List.of()))
            .mounts(List.of(new Mount.Tmpfs(1, "/a")))
            .labels(Map.of("a", "b"))
            .bestEffort(Set.of(Limit.PIDS))
            .options(Map.of("a", 1))
            .build();
    assertThat(spec.toBuilder().build()).isEqualTo(spec).isNotEqualTo(spec().build());
  }

  @Test
  void optionsHaveOneForm() {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("z", 1);
    given.put("a", List.of(1.50, new BigDecimal("2.0"), BigInteger.TEN.pow(30), (short) 4));
    given.put("m", Map.of("y", true, "x", "text"));
    Map<String, Object> kept = spec().options(given).build().options();
    assertThat(kept.keySet()).containsExactly("a", "m", "z");
    assertThat(kept.get("z")).isEqualTo(1L);
    assertThat(kept.get("a"))
        .isEqualTo(
            List.of(
                new BigDecimal("1.5"),
                2L,
                new BigDecimal(BigInteger.TEN.pow(30)).stripTrailingZeros(),
                4L));
    assertThat(kept.get("m")).isEqualTo(Map.of("x", "text", "y", true));
    assertThat(spec().options(kept).build().options()).isEqualTo(kept);
  }

  @Test
  void optionsCanNotBeChanged() {
    List<Object> list = new ArrayList<>(List.of("a"));
    SandboxSpec spec = spec().options(Map.of("list", list)).build();
    list.add("b");
    assertThat(spec.options()).isEqualTo(Map.of("list", List.of("a")));
    assertThatThrownBy(() -> spec.options().put("b", 1))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void optionsAreValuesOfJson() {
    assertThatThrownBy(() -> spec().options(Map.of("a", Duration.ZERO)).build())
        .hasMessageContaining("must be a text, number, boolean, list or map");
    assertThatThrownBy(() -> spec().options(Map.of("a", Map.of(1, 2))).build())
        .hasMessageContaining("key '1' must be a text");
    Object deep = "x";
    for (int i = 0; i < 40; i++) {
      deep = List.of(deep);
    }
    Object tooDeep = deep;
    assertThatThrownBy(() -> spec().options(Map.of("a", tooDeep)).build())
        .hasMessageContaining("more than 32 levels");
  }

  @Test
  void aHostWithoutSettingsHasNone() {
    HostRef host = new HostRef("here", HostRef.LOCAL);
    assertThat(host.settings()).isEmpty();
    assertThat(host.withSettings(Map.of("zone", 3)).settings()).isEqualTo(Map.of("zone", 3L));
  }
}
