package dev.sandboxer.platform.token;

import com.nimbusds.jose.jwk.ECKey;
import dev.sandboxer.platform.installation.Sealer;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The installation's signing keys, private parts sealed in the table {@code signing_key}. Made at
 * the first start, then loaded by every node.
 */
public final class SigningKeys implements Supplier<KeyRing> {

  private final Jdbi jdbi;
  private final Sealer sealer;
  private volatile @Nullable KeyRing ring;

  /**
   * Nothing is read before {@link #load}.
   *
   * @param jdbi on the migrated database
   * @param sealer for private parts
   */
  public SigningKeys(Jdbi jdbi, Sealer sealer) {
    this.jdbi = jdbi;
    this.sealer = sealer;
  }

  /**
   * Reads the keys, and makes what is missing. Blocks. Nodes that start at once end up with the
   * same keys.
   *
   * @return the ring, which {@link #get} gives from now on
   * @throws IllegalStateException if a key cannot be opened with this master key
   */
  public KeyRing load() {
    KeyRing loaded =
        jdbi.inTransaction(
            handle ->
                new KeyRing(
                    loadOrMake(handle, KeyPurpose.CLIENT), loadOrMake(handle, KeyPurpose.RELAY)));
    ring = loaded;
    return loaded;
  }

  /** Loads again if another node has changed the keys. Blocks. */
  void follow() {
    String now =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        select coalesce(string_agg(kid || ' ' || state, ',' order by kid collate "C"), '')
                        from signing_key where state <> 'retired'
                        """)
                    .mapTo(String.class)
                    .one());
    if (!now.equals(get().standing())) {
      var _ = load();
    }
  }

  /** Makes the next key of client tokens, unless there is one. */
  void insertNext(Handle open, Duration publish) {
    SigningKey key = SigningKey.generate(KeyState.NEXT);
    open.createUpdate(
            """
            insert into signing_key (kid, purpose, state, public_jwk, sealed, activate_at)
            values (:kid, 'client', 'next', cast(:jwk as jsonb), :sealed,
              clock_timestamp() + make_interval(secs => :publish))
            on conflict (purpose) where state = 'next' do nothing
            """)
        .bind("kid", key.kid())
        .bind("jwk", key.jwk().toPublicJWK().toJSONString())
        .bind("sealed", seal(key))
        .bind("publish", publish.toSeconds())
        .execute();
  }

  private byte[] seal(SigningKey key) {
    return sealer.seal(row(key.kid()), key.jwk().toJSONString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The keys as last loaded; never blocks.
   *
   * @return the ring
   * @throws IllegalStateException before {@link #load}
   */
  @Override
  public KeyRing get() {
    KeyRing loaded = ring;
    if (loaded == null) {
      throw new IllegalStateException("signing keys are used before they are loaded");
    }
    return loaded;
  }

  /**
   * The relay's public keys, for boxd's config.
   *
   * @return a JWK set in JSON
   * @throws IllegalStateException before {@link #load}
   */
  public String relayJwks() {
    return get().jwks(KeyPurpose.RELAY);
  }

  private List<SigningKey> loadOrMake(Handle handle, KeyPurpose purpose) {
    if (!hasCurrent(handle, purpose)) {
      insert(handle, purpose, SigningKey.generate(KeyState.CURRENT));
    }
    return handle
        .createQuery(
            """
            select kid, state, sealed from signing_key
            where purpose = :purpose and state <> 'retired' order by activate_at desc, kid
            """)
        .bind("purpose", purpose.column())
        .map((row, _) -> open(row.getString("kid"), row.getString("state"), row.getBytes("sealed")))
        .list();
  }

  private static boolean hasCurrent(Handle handle, KeyPurpose purpose) {
    return handle
        .createQuery(
            "select exists (select 1 from signing_key where purpose = :purpose and state = 'current')")
        .bind("purpose", purpose.column())
        .mapTo(Boolean.class)
        .one();
  }

  private void insert(Handle handle, KeyPurpose purpose, SigningKey key) {
    handle
        .createUpdate(
            """
            insert into signing_key (kid, purpose, state, public_jwk, sealed)
            values (:kid, :purpose, :state, cast(:jwk as jsonb), :sealed)
            on conflict (purpose) where state = 'current' do nothing
            """)
        .bind("kid", key.kid())
        .bind("purpose", purpose.column())
        .bind("state", key.state().column())
        .bind("jwk", key.jwk().toPublicJWK().toJSONString())
        .bind("sealed", seal(key))
        .execute();
  }

  private SigningKey open(String kid, String state, byte[] sealed) {
    String jwk = new String(sealer.unseal(row(kid), sealed), StandardCharsets.UTF_8);
    try {
      return SigningKey.of(KeyState.of(state), ECKey.parse(jwk));
    } catch (ParseException e) {
      throw new IllegalStateException("signing key " + kid + " is damaged in the database", e);
    }
  }

  private static String row(String kid) {
    return "signing_key/" + kid;
  }
}
