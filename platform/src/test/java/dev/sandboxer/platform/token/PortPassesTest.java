package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.id.SandboxId;
import java.time.Clock;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A pass for a port ends with what the token ended with that it was made for. */
class PortPassesTest {

  private static final SandboxId SANDBOX = new SandboxId("abcdefghij0123456789");

  private final KeyRing keys = KeyRing.generate();
  private final Issuer issuer = new Issuer("11111111-2222-3333-4444-555555555555");
  private final TokenMinter minter =
      new TokenMinter(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());
  private final PortPasses passes =
      new PortPasses(() -> keys, issuer, Clock.systemUTC(), new AcceptedTokens());

  @Test
  void aPassNamesSessionAndKeyOfItsToken() {
    TokenClaims token =
        new TokenClaims(
            SANDBOX,
            3,
            7,
            "usr_1",
            "ssn_1",
            Capability.grantable(),
            0,
            Long.MAX_VALUE,
            "key_1",
            "thr_1",
            "run_1");
    TokenClaims ticket = token.only(Capability.PORT);
    assertThat(ticket.clientId()).isEqualTo("key_1");
    TokenClaims pass =
        passes.check(minter.portPass(ticket, 8080).value(), SANDBOX, 8080).orElseThrow();
    assertThat(pass.clientId()).isEqualTo("key_1");
    assertThat(pass.sessionId()).isEqualTo("ssn_1");
    assertThat(pass.generation()).isEqualTo(3);
    assertThat(pass.epoch()).isEqualTo(7);
    assertThat(pass.capabilities()).isEqualTo(Set.of(Capability.PORT));
    assertThat(passes.check(minter.portPass(ticket, 8080).value(), SANDBOX, 8081)).isEmpty();

    AcceptedTokens here = new AcceptedTokens();
    TokenMinter own = new TokenMinter(() -> keys, issuer, Clock.systemUTC(), here);
    PortPasses known = new PortPasses(() -> keys, issuer, Clock.systemUTC(), here);
    String made = own.portPass(ticket, 8080).value();
    assertThat(known.known(made, SANDBOX, 8080)).isEqualTo(passes.check(made, SANDBOX, 8080));
    assertThat(known.known(made, SANDBOX, 8081)).isEmpty();
  }
}
