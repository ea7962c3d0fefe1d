package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Makes tokens that differ from a good one in one thing each. */
public final class Forge {

  private final KeyRing keys;
  private final Issuer issuer;
  private final SandboxId sandboxId;
  private final long now;

  /**
   * Makes a forge that has the real keys, so that a token's one fault is the only one.
   *
   * @param keys of the installation
   * @param issuer of the installation
   * @param sandboxId the sandbox that good tokens name, generation 1
   * @param now the present
   */
  public Forge(KeyRing keys, Issuer issuer, SandboxId sandboxId, Instant now) {
    this.keys = keys;
    this.issuer = issuer;
    this.sandboxId = sandboxId;
    this.now = now.getEpochSecond();
  }

  /**
   * A good token.
   *
   * @return accepted for generation 1, epoch 5
   */
  public String good() {
    return sign(header(), claims());
  }

  /**
   * At least sixty bad ones.
   *
   * @return by what is wrong with them
   */
  public Map<String, String> bad() {
    Map<String, String> all = new LinkedHashMap<>();
    forms(all);
    headers(all);
    signatures(all);
    claims(all);
    times(all);
    return all;
  }

  private void forms(Map<String, String> all) {
    String[] good = good().split("\\.", -1);
    all.put("empty", "");
    all.put("blank", " ");
    all.put("dots alone", "..");
    all.put("an API key", "sbxk_0123456789abcdef0123456789abcdef");
    all.put("a key by another name", "e2b_0123456789abcdef0123456789abcdef");
    all.put("two parts", good[0] + "." + good[1]);
    all.put("four parts", good() + "." + good[2]);
    all.put("five parts, a JWE", good[0] + "." + good[1] + "." + good[2] + ".AAAA.AAAA");
    all.put("JSON serialization", "{\"payload\":\"" + good[1] + "\",\"signatures\":[]}");
    all.put("padded base64", good[0] + "." + good[1] + "." + good[2] + "==");
    all.put("line break within", good[0] + "." + good[1] + ".\n" + good[2]);
    all.put("no base64", good[0] + "." + good[1] + ".%%%");
    all.put("huge", good[0] + "." + good[1] + "." + "A".repeat(70_000));
    all.put("huge header", sign(header().put("kid", "k".repeat(60_000)), claims()));
    all.put("a good one twice", good() + good());
    all.put("a blank before", " " + good());
    all.put("loose bits in the signature", good().substring(0, good().length() - 1) + looseBits());
    all.put("claims that are a list", raw(header().encode(), "[]"));
    all.put("claims that are no JSON", raw(header().encode(), "{\"iss\":"));
    all.put("more after the claims", raw(header().encode(), claims().encode() + "{}"));
    all.put("deeply nested claims", raw(header().encode(), "{\"a\":" + "[".repeat(900)));
  }

  private String looseBits() {
    char last = good().charAt(good().length() - 1);
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return String.valueOf(alphabet.charAt(alphabet.indexOf(last) ^ 1));
  }

  private void headers(Map<String, String> all) {
    for (String none : new String[] {"none", "None", "NONE", "nOnE"}) {
      all.put("alg " + none, unsigned(header().put("alg", none)));
    }
    for (String other : new String[] {"HS256", "RS256", "ES384", "ES256K", "es256", ""}) {
      all.put("alg '" + other + "'", sign(header().put("alg", other), claims()));
    }
    all.put("HS256 with the public key", hmac());
    all.put("no alg", sign(header(h -> h.remove("alg")), claims()));
    all.put("typ JWT", sign(header().put("typ", "JWT"), claims()));
    all.put("typ in capitals", sign(header().put("typ", "AT+JWT"), claims()));
    all.put("no typ", sign(header(h -> h.remove("typ")), claims()));
    all.put("no kid", sign(header(h -> h.remove("kid")), claims()));
    all.put("kid a number", sign(header().put("kid", 1), claims()));
    for (String kid : new String[] {"", " ", "../../dev/null", "/dev/null", "' or 1=1 --", "old"}) {
      all.put("kid '" + kid + "'", sign(header().put("kid", kid), claims()));
    }
    all.put("kid of the relay", sign(header().put("kid", relayKey().kid()), claims()));
    all.put("signed by the relay's key", signWith(relayKey(), header(), claims()));
    all.put("jwk within", sign(header().put("jwk", publicJwk()), claims()));
    all.put("jku", sign(header().put("jku", "https://example.com/keys"), claims()));
    all.put("x5u", sign(header().put("x5u", "https://example.com/cert"), claims()));
    all.put("x5c", sign(header().put("x5c", "AAAA"), claims()));
    all.put("crit", sign(header().put("crit", "exp"), claims()));
    all.put("b64 false", sign(header().put("b64", false), claims()));
    all.put("zip", sign(header().put("zip", "DEF"), claims()));
    all.put("cty", sign(header().put("cty", "JWT"), claims()));
    String twice = header().encode().replace("{", "{\"alg\":\"none\",");
    all.put("alg twice", raw(twice, claims().encode()));
  }

  private void signatures(Map<String, String> all) {
    all.put("no signature", input() + ".");
    all.put("signature of zeros", withSignature(signature -> new byte[64]));
    all.put("r and s of the order", withSignature(signature -> OddSignatures.orders()));
    all.put("s turned over", withSignature(OddSignatures::turned));
    all.put("DER form", withSignature(OddSignatures::der));
    all.put("short signature", withSignature(signature -> Arrays.copyOf(signature, 63)));
    all.put("long signature", withSignature(signature -> Arrays.copyOf(signature, 65)));
    all.put("one bit of the signature", withSignature(OddSignatures::flipped));
    all.put("signed by another key", signWith(SigningKey.generate(KeyState.CURRENT)));
    String[] good = good().split("\\.", -1);
    String other = encode(claims().put("scope", "exec shell").encode());
    all.put("claims exchanged", good[0] + "." + other + "." + good[2]);
  }

  private void claims(Map<String, String> all) {
    for (String name : new String[] {"iss", "aud", "sub", "gen", "epoch", "scope", "jti"}) {
      all.put("no " + name, sign(header(), claims(c -> c.remove(name))));
      all.put(name + " of another type", sign(header(), claims().put(name, new JsonObject())));
    }
    all.put("another issuer", sign(header(), claims().put("iss", "urn:sandboxer:other")));
    all.put("audience of boxd", sign(header(), audience(Issuer.boxdAudience(sandboxId))));
    SandboxId otherId = new SandboxId("b" + sandboxId.raw().substring(1));
    all.put("another sandbox", sign(header(), audience(Issuer.clientAudience(otherId))));
    all.put("raw id as audience", sign(header(), audience(sandboxId.raw())));
    all.put("two audiences", sign(header(), claims(Forge::twoAudiences)));
    all.put("no audience in the list", sign(header(), claims().put("aud", new Object[0])));
    all.put("generation 0", sign(header(), claims().put("gen", 0)));
    all.put("generation as text", sign(header(), claims().put("gen", "1")));
    all.put("generation 1.5", sign(header(), claims().put("gen", 1.5)));
    all.put("negative epoch", sign(header(), claims().put("epoch", -1)));
    all.put("huge epoch", raw(header().encode(), claims().encode().replace(":5,", ":5e99,")));
    all.put("admin", sign(header(), claims().put("scope", "exec admin")));
    all.put("unknown capability", sign(header(), claims().put("scope", "exec root")));
    all.put("two blanks in scope", sign(header(), claims().put("scope", "exec  shell")));
    String twice = claims().encode().replace("{", "{\"epoch\":9,");
    all.put("a claim twice", raw(header().encode(), twice));
  }

  private void times(Map<String, String> all) {
    all.put("expired", timed(now - 300, now - 300, now));
    all.put("expired long ago", timed(0, 0, 300));
    all.put("not yet", timed(now, now + 60, now + 300));
    all.put("issued in the future", timed(now + 60, now, now + 300));
    all.put("lives too long", timed(now, now, now + 901));
    all.put("ends before it begins", timed(now + 5, now, now + 4));
    all.put("negative times", timed(-10, -10, now + 5));
    all.put("no exp", sign(header(), claims(c -> c.remove("exp"))));
    all.put("no iat", sign(header(), claims(c -> c.remove("iat"))));
    all.put("no nbf", sign(header(), claims(c -> c.remove("nbf"))));
    all.put("exp as text", sign(header(), claims().put("exp", "" + (now + 60))));
    all.put("exp beyond all numbers", raw(header().encode(), endless()));
  }

  private String endless() {
    return claims().encode().replace("\"exp\":" + (now + 300), "\"exp\":1e400");
  }

  private JsonObject header() {
    return new JsonObject().put("alg", "ES256").put("typ", "at+jwt").put("kid", key().kid());
  }

  private JsonObject header(Consumer<JsonObject> change) {
    JsonObject header = header();
    change.accept(header);
    return header;
  }

  private JsonObject claims() {
    return new JsonObject()
        .put("iss", issuer.urn())
        .put("sub", "user")
        .put("aud", Issuer.clientAudience(sandboxId))
        .put("gen", 1)
        .put("epoch", 5)
        .put("scope", "exec fs_read")
        .put("jti", "0198c0de-0000-7000-8000-000000000000")
        .put("iat", now)
        .put("nbf", now)
        .put("exp", now + 300);
  }

  private JsonObject claims(Consumer<JsonObject> change) {
    JsonObject claims = claims();
    change.accept(claims);
    return claims;
  }

  private JsonObject audience(String audience) {
    return claims().put("aud", audience);
  }

  private static void twoAudiences(JsonObject claims) {
    String one = claims.getString("aud");
    claims.put("aud", new io.vertx.core.json.JsonArray().add(one).add("urn:other"));
  }

  private String timed(long issued, long notBefore, long expires) {
    return sign(header(), claims().put("iat", issued).put("nbf", notBefore).put("exp", expires));
  }

  private String sign(JsonObject header, JsonObject claims) {
    return signWith(key(), header, claims);
  }

  private String signWith(SigningKey other) {
    return signWith(other, header(), claims());
  }

  private static String signWith(SigningKey key, JsonObject header, JsonObject claims) {
    return signed(key, encode(header.encode()) + "." + encode(claims.encode()));
  }

  private String raw(String header, String claims) {
    return signed(key(), encode(header) + "." + encode(claims));
  }

  private static String signed(SigningKey key, String input) {
    return input + "." + encode(signature(key, input));
  }

  private static byte[] signature(SigningKey key, String input) {
    try {
      Signature signature = Signature.getInstance(Es256.ALGORITHM);
      signature.initSign(key.privateKey());
      signature.update(bytes(input));
      return Es256.withLowS(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private String unsigned(JsonObject header) {
    return encode(header.encode()) + "." + encode(claims().encode()) + ".";
  }

  private String hmac() {
    String input = encode(header().put("alg", "HS256").encode()) + "." + encode(claims().encode());
    try {
      javax.crypto.Mac mac = javax.crypto.Mac.getInstance("HmacSHA256");
      mac.init(new javax.crypto.spec.SecretKeySpec(key().publicKey().getEncoded(), "HmacSHA256"));
      return input + "." + encode(mac.doFinal(bytes(input)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private String input() {
    return encode(header().encode()) + "." + encode(claims().encode());
  }

  private String withSignature(UnaryOperator<byte[]> change) {
    String input = input();
    return input + "." + encode(change.apply(signature(key(), input)));
  }

  private SigningKey key() {
    return keys.current(KeyPurpose.CLIENT);
  }

  private SigningKey relayKey() {
    return keys.current(KeyPurpose.RELAY);
  }

  private JsonObject publicJwk() {
    return new JsonObject(key().jwk().toPublicJWK().toJSONString());
  }

  private static String encode(String text) {
    return encode(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
