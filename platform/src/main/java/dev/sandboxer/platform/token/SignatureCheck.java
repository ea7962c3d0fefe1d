package dev.sandboxer.platform.token;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/** Checks form, algorithm, type, key and signature of a token, in this order. */
final class SignatureCheck {

  private static final List<String> HEADER = List.of("alg", "typ", "kid");

  private final Supplier<KeyRing> keys;
  private final KeyPurpose purpose;
  private final StrictJson json = new StrictJson();

  SignatureCheck(Supplier<KeyRing> keys, KeyPurpose purpose) {
    this.keys = keys;
    this.purpose = purpose;
  }

  /** A token in the right form that names one of our keys; its signature was not checked yet. */
  record Signed(SigningKey key, String input, String claims, String signature) {}

  /** Checks form, algorithm, type and key, which costs next to nothing. */
  Signed parse(String token, String type) throws TokenRefusedException {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new TokenRefusedException("not three parts");
    }
    SigningKey key = key(json.object(parts[0]), type);
    if (!Es256.inRange(json.bytes(parts[2]))) {
      throw new TokenRefusedException("a signature out of range");
    }
    return new Signed(key, token.substring(0, token.lastIndexOf('.')), parts[1], parts[2]);
  }

  /** The claims, if we signed them. */
  JsonNode claims(Signed token) throws TokenRefusedException {
    byte[] input = token.input().getBytes(StandardCharsets.US_ASCII);
    if (!Es256.verify(token.key().publicKey(), input, json.bytes(token.signature()))) {
      throw new TokenRefusedException("bad signature");
    }
    return json.object(token.claims());
  }

  /** Exactly three members: nothing in a header may point to another key or processing. */
  private SigningKey key(JsonNode header, String type) throws TokenRefusedException {
    if (header.size() != HEADER.size() || !HEADER.stream().allMatch(header::has)) {
      throw new TokenRefusedException("header has other members than alg, typ and kid");
    }
    if (!"ES256".equals(header.path("alg").textValue())) {
      throw new TokenRefusedException("another algorithm");
    }
    if (!type.equals(header.path("typ").textValue())) {
      throw new TokenRefusedException("another type");
    }
    String kid = header.path("kid").textValue();
    if (kid == null) {
      throw new TokenRefusedException("kid is no text");
    }
    return keys.get()
        .find(purpose, kid)
        .orElseThrow(() -> new TokenRefusedException("unknown kid"));
  }
}
