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
  void aWishThatNothingMeetsIsTold() {
    assertThat(EventType.unknown("sandbox.reday"))
        .hasValueSatisfying(
            told -> assertThat(told).contains("'sandbox.reday'", "did you mean 'sandbox.ready'?"));
    assertThat(EventType.unknown("sesion.*"))
        .hasValueSatisfying(told -> assertThat(told).contains("did you mean 'session.*'?"));
    assertThat(EventType.unknown("nothing.like.it")).isPresent();
    assertThat(EventType.unknown("webhook.test")).isPresent();
    assertThat(EventType.values())
        .allSatisfy(type -> assertThat(EventType.unknown(type.text())).isEmpty());
    assertThat(EventType.unknown("sandbox.*")).isEmpty();
    assertThat(EventType.unknown("quota.*")).isEmpty();
  }

  @Test
  void namesAreThoseOfTheContract() {
    assertThat(EventType.SANDBOX_IMAGE_PULL.text()).isEqualTo("sandbox.image_pull");
    assertThat(EventType.of("sandbox.nothing")).isEmpty();
  }
}
