package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.id.SandboxId;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AcceptedTokensTest {

  private static final SandboxId SANDBOX = new SandboxId("abcdefghij0123456789");
  private static final int MANY = 40_000;
  private static final int LATEST = 8_000;

  private final TokenClaims claims =
      new ClientGrant(SANDBOX, 1, 0, "subject", null, "key", null, Set.of(Capability.EXEC))
          .claims(0, 300);
  private final AcceptedTokens accepted = new AcceptedTokens();

  @Test
  void whatWasMintedLastIsFoundHoweverMuchIsMinted() {
    for (int i = 0; i < MANY; i++) {
      accepted.acceptToken("token-" + i, claims);
    }
    for (int i = MANY - LATEST; i < MANY; i++) {
      assertThat(accepted.token("token-" + i)).as("token %d", i).isSameAs(claims);
    }
    assertThat(accepted.token("token-0")).isNull();
  }
}
