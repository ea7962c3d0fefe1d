package dev.sandboxer.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsOfExtensionsTest {

  @ParameterizedTest
  @CsvSource({
    "true, BIND, local, true, BIND, VOLUMES",
    "true, BIND, unix:///run/d.sock, true, BIND, VOLUMES",
    "true, BIND, ssh://u@far, false, COPY, NONE",
    "true, BIND, tcp://far, false, COPY, NONE",
    "false, COPY, local, false, COPY, VOLUMES",
    "false, COPY, https://far, false, COPY, VOLUMES"
  })
  void whatHoldsOnANodesMachineDoesNotHoldOnAnother(
      boolean nodeBound,
      MountDelivery delivery,
      String address,
      boolean bound,
      MountDelivery delivered,
      Persistence persistence) {
    ExtensionDescriptor can =
        ExtensionDescriptor.builder("ext.test", "1", ExtensionDescriptor.API_VERSION)
            .isolationLevels(Set.of(IsolationLevel.CONTAINER))
            .networkModes(Set.of(NetworkMode.NONE))
            .boxd(BoxdPlacement.INIT)
            .identity(IdentityMode.UNIQUE_NAME)
            .lateEffectWindow(Duration.ZERO)
            .persistence(Persistence.VOLUMES)
            .nodeBound(nodeBound)
            .mountDelivery(delivery)
            .build();
    HostRef host = new HostRef("h", address);
    assertThat(can.nodeBound(host)).isEqualTo(bound);
    assertThat(can.mountDelivery(host)).isEqualTo(delivered);
    assertThat(can.persistence(host)).isEqualTo(persistence);
  }
}
