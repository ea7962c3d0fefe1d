package dev.sandboxer.platform.token;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/** Checks form, algorithm, type, key and signature of a token, in this order. */
final class SignatureCheck {

  private static final List<String> HEADER = List.of("alg", "typ", "kid");

  private final Supplier<KeyRing> keys;
  private final Es256 es256;
  private final StrictJson json = new StrictJson();

  SignatureCheck(Supplier<KeyRing> keys, Es256 es256) {
    this.keys = keys;
    this.es256 = es256;
  }

  /** The claims of a token of that type that we signed. */
  JsonNode claims(String token, String type) throws TokenRefusedException {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new TokenRefusedException("not three parts");
    }
    SigningKey key = key(json.object(parts[0]), type);
    byte[] signature = json.bytes(parts[2]);
    byte[] input = token.substring(0, token.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII);
    if (!es256.verify(key.publicKey(), input, signature)) {
      throw new TokenRefusedException("bad signature");
    }
    return json.object(parts[1]);
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
        .find(KeyPurpose.CLIENT, kid)
        .orElseThrow(() -> new TokenRefusedException("unknown kid"));
  }
}
