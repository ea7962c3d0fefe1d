package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.SandboxIdentity;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The platform's key for boxd: its config, and tokens that boxd takes. */
final class BoxdKey {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int COORDINATE = 32;

  private final KeyPair pair;

  BoxdKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    pair = generator.generateKeyPair();
  }

  String config(SandboxIdentity identity) {
    return json(
        Map.of(
            "installation", identity.installation(),
            "sandbox_id", identity.publicId(),
            "generation", identity.generation(),
            "issuer", issuer(identity),
            "keys", Map.of("keys", List.of(key())),
            "deadline_seconds", 600));
  }

  String token(SandboxIdentity identity, String scope) throws GeneralSecurityException {
    long now = Instant.now().getEpochSecond();
    String head = encode(json(Map.of("alg", "ES256", "typ", "at+jwt", "kid", "k")));
    String claims =
        encode(
            json(
                Map.of(
                    "iss",
                    issuer(identity),
                    "aud",
                    "urn:sandboxer:boxd:" + identity.publicId(),
                    "sub",
                    "test",
                    "jti",
                    "test",
                    "gen",
                    identity.generation(),
                    "epoch",
                    0,
                    "iat",
                    now,
                    "nbf",
                    now,
                    "exp",
                    now + 600,
                    "scope",
                    scope)));
    Signature signer = Signature.getInstance("SHA256withECDSAinP1363Format");
    signer.initSign(pair.getPrivate());
    signer.update((head + "." + claims).getBytes(StandardCharsets.US_ASCII));
    return head + "." + claims + "." + encode(signer.sign());
  }

  private static String issuer(SandboxIdentity identity) {
    return "urn:sandboxer:" + identity.installation();
  }

  private Map<String, String> key() {
    ECPublicKey key = (ECPublicKey) pair.getPublic();
    return Map.of(
        "kty", "EC",
        "crv", "P-256",
        "kid", "k",
        "x", coordinate(key.getW().getAffineX()),
        "y", coordinate(key.getW().getAffineY()));
  }

  private static String coordinate(BigInteger number) {
    byte[] digits = number.toByteArray();
    byte[] padded = new byte[COORDINATE];
    byte[] last =
        digits.length > COORDINATE
            ? Arrays.copyOfRange(digits, digits.length - COORDINATE, digits.length)
            : digits;
    System.arraycopy(last, 0, padded, COORDINATE - last.length, last.length);
    return encode(padded);
  }

  private static String encode(String text) {
    return encode(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
