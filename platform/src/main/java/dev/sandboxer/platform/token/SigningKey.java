package dev.sandboxer.platform.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;

/**
 * One ES256 key pair.
 *
 * @param state in the rotation
 * @param jwk with its private part
 * @param publicKey for checks
 * @param privateKey for signing
 */
record SigningKey(KeyState state, ECKey jwk, ECPublicKey publicKey, ECPrivateKey privateKey) {

  static SigningKey of(KeyState state, ECKey jwk) {
    try {
      return new SigningKey(state, jwk, jwk.toECPublicKey(), jwk.toECPrivateKey());
    } catch (JOSEException e) {
      throw new IllegalStateException("signing key " + jwk.getKeyID() + " is not an EC key", e);
    }
  }

  static SigningKey generate(KeyState state) {
    try {
      return of(
          state,
          new ECKeyGenerator(Curve.P_256)
              .keyUse(KeyUse.SIGNATURE)
              .algorithm(JWSAlgorithm.ES256)
              .keyIDFromThumbprint(true)
              .generate());
    } catch (JOSEException e) {
      throw new IllegalStateException("this JDK cannot make a P-256 key", e);
    }
  }

  String kid() {
    return jwk.getKeyID();
  }

  @Override
  public String toString() {
    return "SigningKey[kid=" + kid() + ", state=" + state + "]";
  }
}
