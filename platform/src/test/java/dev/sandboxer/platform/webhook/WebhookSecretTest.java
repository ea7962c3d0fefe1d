package dev.sandboxer.platform.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures and secrets as Standard Webhooks has them. */
class WebhookSecretTest {

  /** The vector that the specification's own libraries are tested with. */
  @Test
  void signsTheSpecificationsVector() {
    WebhookSecret secret = WebhookSecret.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    assertThat(
            secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330L, "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void aNewOneIsReadBackAndShownNowhere() {
    WebhookSecret secret = WebhookSecret.make(new SecureRandom());
    assertThat(WebhookSecret.parse(secret.text()).sign("a", 1, "b"))
        .isEqualTo(secret.sign("a", 1, "b"));
    assertThat(Base64.getDecoder().decode(secret.text().substring("whsec_".length()))).hasSize(32);
    assertThat(secret).hasToString("whsec_...");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 23, 65})
  void refusesOtherLengths(int bytes) {
    String text = "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
    assertThatThrownBy(() -> WebhookSecret.parse(text))
        .hasMessage("it must be whsec_ and base64 of 24 to 64 bytes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "whsec_", "whsec_%%%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
  void refusesOtherForms(String text) {
    assertThatThrownBy(() -> WebhookSecret.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
