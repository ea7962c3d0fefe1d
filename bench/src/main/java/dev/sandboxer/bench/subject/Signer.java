package dev.sandboxer.bench.subject;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.UUID;

/** Stands where the platform's relay would: the key whose tokens a bare boxd accepts. */
final class Signer {

  private static final String KEY_ID = "bench";
  private static final long LIFE_SECONDS = 900;

  private final Clock clock;
  private final ECKey key;

  Signer(Clock clock) {
    this.clock = clock;
    try {
      this.key =
          new ECKeyGenerator(Curve.P_256)
              .keyID(KEY_ID)
              .keyUse(KeyUse.SIGNATURE)
              .algorithm(JWSAlgorithm.ES256)
              .generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  Map<String, Object> publicKey() {
    return key.toPublicJWK().toJSONObject();
  }

  /** A token for one sandbox's boxd, for as long as boxd takes one. */
  String token(String issuer, String sandbox, String scope) {
    Instant now = clock.instant();
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .issuer(issuer)
            .audience("urn:sandboxer:boxd:" + sandbox)
            .subject("bench")
            .claim("gen", 1)
            .claim("epoch", 0)
            .claim("scope", scope)
            .jwtID(UUID.randomUUID().toString())
            .issueTime(Date.from(now))
            .notBeforeTime(Date.from(now))
            .expirationTime(Date.from(now.plusSeconds(LIFE_SECONDS)))
            .build();
    return sign(claims);
  }

  private String sign(JWTClaimsSet claims) {
    JWSHeader header =
        new JWSHeader.Builder(JWSAlgorithm.ES256)
            .type(new JOSEObjectType("at+jwt"))
            .keyID(KEY_ID)
            .build();
    SignedJWT token = new SignedJWT(header, claims);
    try {
      token.sign(new ECDSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
    return token.serialize();
  }
}
