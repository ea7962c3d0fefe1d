package dev.sandboxer.platform.token;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The installation's keys as they are now; immutable. */
public final class KeyRing {

  private final List<SigningKey> client;
  private final List<SigningKey> relay;

  KeyRing(List<SigningKey> client, List<SigningKey> relay) {
    this.client = List.copyOf(client);
    this.relay = List.copyOf(relay);
  }

  /**
   * A ring of new keys that is stored nowhere.
   *
   * @return one current key a purpose
   */
  public static KeyRing generate() {
    return new KeyRing(
        List.of(SigningKey.generate(KeyState.CURRENT)),
        List.of(SigningKey.generate(KeyState.CURRENT)));
  }

  /**
   * The public keys to check with: next, current and previous.
   *
   * @param purpose whose keys
   * @return a JWK set in JSON, without private parts
   */
  public String jwks(KeyPurpose purpose) {
    List<JWK> keys = keys(purpose).stream().<JWK>map(key -> key.jwk().toPublicJWK()).toList();
    return new JWKSet(keys).toString(true);
  }

  /** All keys with their states, to see whether the database has others. */
  String standing() {
    return Stream.concat(client.stream(), relay.stream())
        .map(key -> key.kid() + " " + key.state().column())
        .sorted()
        .collect(Collectors.joining(","));
  }

  SigningKey current(KeyPurpose purpose) {
    return keys(purpose).stream()
        .filter(key -> key.state() == KeyState.CURRENT)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no current key to sign for " + purpose));
  }

  Optional<SigningKey> find(KeyPurpose purpose, String kid) {
    return keys(purpose).stream().filter(key -> key.kid().equals(kid)).findFirst();
  }

  private List<SigningKey> keys(KeyPurpose purpose) {
    return purpose == KeyPurpose.CLIENT ? client : relay;
  }
}
