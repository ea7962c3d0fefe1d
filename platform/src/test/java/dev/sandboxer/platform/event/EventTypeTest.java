package dev.sandboxer.platform.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.sandbox.SandboxState;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EventTypeTest {

  @Test
  void everyStateIsAnEvent() {
    assertThat(SandboxState.values())
        .allSatisfy(
            state ->
                assertThat(EventType.of("sandbox." + state.text())).as(state.text()).isPresent());
  }

  @Test
  void milestonesAreReadyAndDestroyed() {
    assertThat(
            Arrays.stream(EventType.values())
                .filter(type -> type.kind() == EventType.Kind.MILESTONE)
                .map(EventType::text))
        .containsExactly("sandbox.ready", "sandbox.destroyed");
  }

  @Test
  void namesAreThoseOfTheContract() {
    assertThat(EventType.SANDBOX_IMAGE_PULL.text()).isEqualTo("sandbox.image_pull");
    assertThat(EventType.of("sandbox.nothing")).isEmpty();
  }
}
