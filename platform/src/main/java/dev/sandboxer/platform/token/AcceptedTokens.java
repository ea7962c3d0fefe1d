package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Tokens and port passes whose signature needs no further check: it was checked before, or made on
 * this node. Keeps hashes, never tokens. Usable from any thread.
 */
public final class AcceptedTokens {

  private static final int CACHED_TOKENS = 8192;
  private static final int CACHED_PASSES = 4096;

  private final BoundedCache<ByteBuffer, TokenClaims> tokens = new BoundedCache<>(CACHED_TOKENS);
  private final BoundedCache<Pass, TokenClaims> passes = new BoundedCache<>(CACHED_PASSES);

  /** A pass counts for one port of one sandbox, which its claims do not repeat. */
  private record Pass(ByteBuffer hash, SandboxId sandboxId, int port) {}

  @Nullable TokenClaims token(String token) {
    return tokens.get(hash(token));
  }

  void acceptToken(String token, TokenClaims claims) {
    tokens.put(hash(token), claims);
  }

  void removeToken(String token) {
    tokens.remove(hash(token));
  }

  @Nullable TokenClaims pass(String pass, SandboxId sandboxId, int port) {
    return passes.get(new Pass(hash(pass), sandboxId, port));
  }

  void acceptPass(String pass, int port, TokenClaims claims) {
    passes.put(new Pass(hash(pass), claims.sandboxId(), port), claims);
  }

  private static ByteBuffer hash(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
