package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.id.SandboxId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TokenVerifierTest {

  private static final SandboxId ID = new SandboxId("abcdefghij0123456789");
  private static final String HERE = "192.0.2.1";

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-01T12:00:00Z"));
  private final InstantSource clock = now::get;
  private final KeyRing keys = KeyRing.generate();
  private final Issuer issuer = new Issuer("11111111-2222-3333-4444-555555555555");
  private final AcceptedTokens here = new AcceptedTokens();
  private final TokenVerifier verifier = new TokenVerifier(() -> keys, issuer, clock, here);
  private final TokenMinter own = new TokenMinter(() -> keys, issuer, clock, here);

  /** Of another node: what it makes has to be checked here. */
  private final TokenMinter minter =
      new TokenMinter(() -> keys, issuer, clock, new AcceptedTokens());

  @Test
  void every_bad_token_is_refused_and_a_good_one_right_after_is_not() {
    Forge forge = new Forge(keys, issuer, ID, now.get());
    Map<String, String> bad = forge.bad();
    assertThat(bad).hasSizeGreaterThan(60);

    bad.forEach(
        (what, token) -> {
          assertThat(verifier.verify(token, ID, HERE)).as(what).isInstanceOf(Verdict.Refused.class);
          assertThat(verifier.verify(forge.good(), ID, HERE))
              .as("a good one after " + what)
              .isInstanceOf(Verdict.Accepted.class);
        });
  }

  @Test
  void a_minted_token_says_what_was_granted() {
    MintedToken token = minter.client(grant(2, 7));

    TokenClaims claims = accepted(token.value());
    assertThat(claims.generation()).isEqualTo(2);
    assertThat(claims.epoch()).isEqualTo(7);
    assertThat(claims.subject()).isEqualTo("alice");
    assertThat(claims.capabilities())
        .containsExactlyInAnyOrder(Capability.EXEC, Capability.FS_WRITE);
    assertThat(token.expiresAt()).isEqualTo(now.get().plus(TokenMinter.CLIENT_LIFE));
    assertThat(token.toString()).doesNotContain(token.value());
  }

  @Test
  void generation_and_epoch_decide_on_each_use() {
    TokenClaims claims = accepted(minter.client(grant(2, 7)).value());

    assertThat(claims.countsFor(2, 7)).isTrue();
    assertThat(claims.countsFor(2, 8)).isFalse();
    assertThat(claims.countsFor(3, 0)).isFalse();
    assertThat(claims.countsFor(1, 0)).isFalse();
  }

  @Test
  void a_cached_token_ends_with_its_time_and_counts_for_its_sandbox_alone() {
    String token = minter.client(grant(1, 0)).value();
    accepted(token);

    assertThat(verifier.verify(token, new SandboxId("b" + ID.raw().substring(1)), HERE))
        .isInstanceOf(Verdict.Refused.class);
    now.updateAndGet(at -> at.plus(TokenMinter.CLIENT_LIFE).minusSeconds(1));
    accepted(token);
    now.updateAndGet(at -> at.plusSeconds(1));
    assertThat(verifier.verify(token, ID, HERE)).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void a_relay_token_is_none_of_a_client() {
    String token = minter.relay(ID, 1, Capability.EXEC).value();

    assertThat(verifier.verify(token, ID, HERE)).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void relay_tokens_are_kept_until_shortly_before_their_end() {
    MintedToken first = minter.relay(ID, 1, Capability.EXEC);

    assertThat(minter.relay(ID, 1, Capability.EXEC)).isSameAs(first);
    assertThat(minter.relay(ID, 2, Capability.EXEC).value()).isNotEqualTo(first.value());
    assertThat(minter.relay(ID, 1, Capability.ADMIN).value()).isNotEqualTo(first.value());
    now.updateAndGet(at -> at.plusSeconds(44));
    assertThat(minter.relay(ID, 1, Capability.EXEC)).isSameAs(first);
    now.updateAndGet(at -> at.plusSeconds(2));
    assertThat(minter.relay(ID, 1, Capability.EXEC).expiresAt())
        .isEqualTo(now.get().plus(TokenMinter.RELAY_LIFE));
  }

  @Test
  void an_address_with_many_bad_tokens_waits_and_others_do_not() {
    String known = minter.client(grant(1, 0)).value();
    accepted(known);
    sendForgedSignatures();
    String fresh = minter.client(grant(1, 0)).value();

    assertThat(verifier.verify(fresh, ID, HERE)).isInstanceOf(Verdict.TooMany.class);
    assertThat(verifier.verify(fresh, ID, "192.0.2.2")).isInstanceOf(Verdict.Accepted.class);
    accepted(known);
    now.updateAndGet(at -> at.plus(Duration.ofMinutes(1)));
    accepted(minter.client(grant(1, 0)).value());
  }

  @Test
  void a_token_that_was_made_here_is_taken_whatever_else_came_from_its_address() {
    sendForgedSignatures();

    accepted(own.client(grant(1, 0)).value());
  }

  @Test
  void what_costs_no_signature_check_is_not_counted() {
    Forge forge = new Forge(keys, issuer, ID, now.get());
    for (int i = 0; i < 1_000; i++) {
      verifier.verify("garbage" + i, ID, HERE);
      verifier.verify(forge.good().replaceFirst("[^.]*$", ""), ID, HERE);
      verifier.verify("x".repeat(5_000), ID, HERE);
    }

    accepted(minter.client(grant(1, 0)).value());
  }

  @Test
  void a_token_that_was_made_here_says_the_same_as_one_that_was_checked() {
    String token = own.client(grant(2, 7)).value();
    TokenVerifier elsewhere = new TokenVerifier(() -> keys, issuer, clock, new AcceptedTokens());

    assertThat(verifier.verify(token, ID, HERE)).isEqualTo(elsewhere.verify(token, ID, HERE));
  }

  /** In the right form, so that each costs a check. */
  private void sendForgedSignatures() {
    String good = minter.client(grant(1, 0)).value();
    for (int i = 0; i < 300; i++) {
      String forged = good.replaceFirst("\\.", ".e30" + (char) ('a' + i % 26));
      assertThat(verifier.verify(forged, ID, HERE)).isNotInstanceOf(Verdict.Accepted.class);
    }
  }

  @Test
  void admin_can_not_be_granted() {
    assertThatThrownBy(
            () -> new ClientGrant(ID, 1, 0, "alice", null, "key", null, Set.of(Capability.ADMIN)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void published_keys_have_no_private_part() {
    for (KeyPurpose purpose : KeyPurpose.values()) {
      assertThat(keys.jwks(purpose)).contains("\"ES256\"").doesNotContain("\"d\"");
    }
    assertThat(keys.jwks(KeyPurpose.CLIENT)).isNotEqualTo(keys.jwks(KeyPurpose.RELAY));
  }

  @Test
  void token_ids_are_ordered_and_of_version_seven() {
    UuidV7 ids = new UuidV7(Clock.fixed(now.get(), ZoneOffset.UTC));

    assertThat(ids.next()).matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-.{12}");
    assertThat(ids.next()).isNotEqualTo(ids.next());
  }

  private TokenClaims accepted(String token) {
    Verdict verdict = verifier.verify(token, ID, HERE);
    assertThat(verdict).isInstanceOf(Verdict.Accepted.class);
    return ((Verdict.Accepted) verdict).claims();
  }

  private static ClientGrant grant(int generation, long epoch) {
    return new ClientGrant(
        ID,
        generation,
        epoch,
        "alice",
        "helper",
        "key_1",
        "ssn_1",
        Set.of(Capability.EXEC, Capability.FS_WRITE));
  }
}
