package dev.sandboxer.testing.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPrivateKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs as the platform does, with its own key, which only whoever has database and master key can
 * open: so that each bad token has but one thing wrong.
 */
public final class TokenForge {

  private static final BigInteger ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final JsonNode head;
  private final JsonNode claims;
  private final PrivateKey key;
  private final String publicJwk;

  /**
   * Forges after a good token's example.
   *
   * @param database answers a query with one text
   * @param home of the platform, with its master key
   * @param good a token of the platform
   * @throws IOException if the master key cannot be read
   * @throws GeneralSecurityException if the database holds no key that it opens
   */
  public TokenForge(UnaryOperator<String> database, Path home, String good)
      throws IOException, GeneralSecurityException {
    String[] parts = good.split("\\.", -1);
    this.head = Api.JSON.readTree(Base64.getUrlDecoder().decode(parts[0]));
    this.claims = Api.JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
    String kid = head.path("kid").asText();
    String sealed =
        database.apply("select encode(sealed, 'hex') from signing_key where kid = '" + kid + "'");
    JsonNode jwk =
        Api.JSON.readTree(unseal(home, "signing_key/" + kid, HexFormat.of().parseHex(sealed)));
    this.publicJwk = database.apply("select public_jwk from signing_key where kid = '" + kid + "'");
    this.key = privateKey(jwk.path("d").asText());
  }

  private static byte[] unseal(Path home, String row, byte[] sealed)
      throws IOException, GeneralSecurityException {
    byte[] master = Files.readAllBytes(home.resolve("master.key"));
    SecretKey sealing =
        KDF.getInstance("HKDF-SHA256")
            .deriveKey(
                "AES",
                HKDFParameterSpec.ofExtract()
                    .addIKM(master)
                    .thenExpand("sandboxer/seal/v1".getBytes(StandardCharsets.UTF_8), 32));
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.DECRYPT_MODE, sealing, new GCMParameterSpec(128, sealed, 1, 12));
    cipher.updateAAD(row.getBytes(StandardCharsets.UTF_8));
    return cipher.doFinal(sealed, 13, sealed.length - 13);
  }

  private static PrivateKey privateKey(String d) throws GeneralSecurityException {
    AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
    curve.init(new ECGenParameterSpec("secp256r1"));
    return KeyFactory.getInstance("EC")
        .generatePrivate(
            new ECPrivateKeySpec(
                new BigInteger(1, Base64.getUrlDecoder().decode(d)),
                curve.getParameterSpec(ECParameterSpec.class)));
  }

  /** Forges with a key of the test's own, for whoever trusts that. */
  public TokenForge(PrivateKey key, String publicJwk, JsonNode head, JsonNode claims) {
    this.key = key;
    this.publicJwk = publicJwk;
    this.head = head;
    this.claims = claims;
  }

  /** A token that is good, made by this forge: the control. */
  public String good() {
    return sign(head, claims);
  }

  /** Bad tokens by what is wrong with them. */
  public Map<String, String> bad() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("nothing", "");
    all.put("a word", "token");
    all.put("two parts", input(head, claims));
    all.put("four parts", good() + ".AAAA");
    all.put("too long", good() + "A".repeat(5000));
    all.put("a blank inside", good().replace('.', ' '));
    all.put("padding", good() + "==");
    all.put("JSON serialization", "{\"payload\":\"" + good() + "\"}");
    all.put("five parts as of an encrypted one", good() + ".AA.AA");
    heads(all);
    signatures(all);
    claims(all);
    return all;
  }

  private void heads(Map<String, String> all) {
    for (String none : List.of("none", "None", "NONE", "nOnE")) {
      all.put("alg " + none, input(head(h -> h.put("alg", none)), claims) + ".");
    }
    for (String alg : List.of("HS256", "RS256", "ES384", "ES512", "ES256K", "PS256", "es256", "")) {
      all.put("alg '" + alg + "'", sign(head(h -> h.put("alg", alg)), claims));
    }
    all.put("HS256 with the public key", hmac());
    for (String typ : List.of("JWT", "jwt", "AT+JWT", "secevent+jwt")) {
      all.put("typ " + typ, sign(head(h -> h.put("typ", typ)), claims));
    }
    for (String gone : List.of("alg", "typ", "kid")) {
      all.put("no " + gone, sign(head(h -> h.remove(gone)), claims));
    }
    for (String kid : List.of("", " ", "../../etc/passwd", "/dev/null", "' or 1=1 --", "stale")) {
      all.put("kid '" + kid + "'", sign(head(h -> h.put("kid", kid)), claims));
    }
    all.put("kid a number", sign(head(h -> h.put("kid", 1)), claims));
    for (String more : List.of("jwk", "jku", "x5u", "x5c", "crit", "zip", "cty", "b64")) {
      all.put(more, sign(head(h -> h.put(more, publicJwk)), claims));
    }
  }

  private void signatures(Map<String, String> all) {
    byte[] right = signature(input(head, claims));
    all.put("no signature", input(head, claims) + ".");
    all.put("r and s zero", withSignature(new byte[64]));
    all.put("short signature", withSignature(Arrays.copyOf(right, 63)));
    all.put("long signature", withSignature(Arrays.copyOf(right, 65)));
    byte[] flipped = right.clone();
    flipped[10] ^= 1;
    all.put("one bit of the signature", withSignature(flipped));
    all.put("s turned over", withSignature(turned(right)));
    all.put("claims exchanged", exchanged());
  }

  private void claims(Map<String, String> all) {
    for (String gone :
        List.of("iss", "aud", "sub", "gen", "epoch", "scope", "jti", "iat", "nbf", "exp")) {
      all.put("no " + gone, sign(head, claims(c -> c.remove(gone))));
    }
    all.put("another issuer", sign(head, claims(c -> c.put("iss", "urn:sandboxer:other"))));
    String audience = claims.path("aud").asText();
    String other =
        audience.contains(":boxd:")
            ? audience.replace(":boxd:", ":sandbox:")
            : audience.replace(":sandbox:", ":boxd:");
    all.put(
        "for boxd and not the relay, or the reverse", sign(head, claims(c -> c.put("aud", other))));
    all.put(
        "for another sandbox",
        sign(head, claims(c -> c.put("aud", audience.substring(0, audience.length() - 1) + "_"))));
    all.put("for two", sign(head, claims(c -> c.putArray("aud").add(audience).add("urn:x"))));
    all.put("generation 2", sign(head, claims(c -> c.put("gen", 2))));
    all.put("generation 0", sign(head, claims(c -> c.put("gen", 0))));
    all.put("generation as text", sign(head, claims(c -> c.put("gen", "1"))));
    all.put("negative epoch", sign(head, claims(c -> c.put("epoch", -1))));
    all.put("admin", sign(head, claims(c -> c.put("scope", "exec admin"))));
    all.put("unknown capability", sign(head, claims(c -> c.put("scope", "exec root"))));
    long now = claims.path("iat").asLong();
    all.put("expired", sign(head, claims(c -> c.put("iat", now - 600).put("exp", now - 300))));
    all.put("not yet", sign(head, claims(c -> c.put("nbf", now + 3600))));
    all.put(
        "issued in the future",
        sign(head, claims(c -> c.put("iat", now + 3600).put("exp", now + 3700))));
    all.put("lives too long", sign(head, claims(c -> c.put("exp", now + 901))));
    all.put(
        "a claim twice",
        signText(head.toString(), claims.toString().replaceFirst("\\{", "{\"epoch\":9,")));
    all.put("claims a list", signText(head.toString(), "[]"));
  }

  private String exchanged() {
    String other = claims(c -> c.put("scope", "exec")).toString();
    return encode(head.toString())
        + "."
        + encode(other)
        + good().substring(good().lastIndexOf('.'));
  }

  private JsonNode head(Consumer<ObjectNode> change) {
    ObjectNode copy = head.deepCopy();
    change.accept(copy);
    return copy;
  }

  private JsonNode claims(Consumer<ObjectNode> change) {
    ObjectNode copy = claims.deepCopy();
    change.accept(copy);
    return copy;
  }

  private static String input(JsonNode head, JsonNode claims) {
    return encode(head.toString()) + "." + encode(claims.toString());
  }

  private String sign(JsonNode head, JsonNode claims) {
    return signText(head.toString(), claims.toString());
  }

  private String signText(String head, String claims) {
    String input = encode(head) + "." + encode(claims);
    return input + "." + BASE64.encodeToString(signature(input));
  }

  private String withSignature(byte[] signature) {
    return input(head, claims) + "." + BASE64.encodeToString(signature);
  }

  /** With the lower of the two values that s can have, as the platform wants it. */
  private byte[] signature(String input) {
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(key);
      signature.update(input.getBytes(StandardCharsets.US_ASCII));
      byte[] made = signature.sign();
      BigInteger s = new BigInteger(1, made, 32, 32);
      return s.compareTo(ORDER.shiftRight(1)) > 0 ? turned(made) : made;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] turned(byte[] signature) {
    byte[] s = ORDER.subtract(new BigInteger(1, signature, 32, 32)).toByteArray();
    byte[] turned = Arrays.copyOf(signature, 64);
    Arrays.fill(turned, 32, 64, (byte) 0);
    int from = Math.max(0, s.length - 32);
    System.arraycopy(s, from, turned, 64 - (s.length - from), s.length - from);
    return turned;
  }

  private String hmac() {
    try {
      String input = input(head(h -> h.put("alg", "HS256")), claims);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(publicJwk.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return input
          + "."
          + BASE64.encodeToString(mac.doFinal(input.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encode(String text) {
    return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
