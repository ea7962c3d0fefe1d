package dev.sandboxer.platform.api.langbot;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Names processes for boxd, which takes fewer characters than the client does. */
final class ProcessNames {

  private static final Pattern PLAIN = Pattern.compile("(?!x-)[A-Za-z0-9_-]{1,64}");
  private static final int HASH_DIGITS = 62;

  private ProcessNames() {}

  /** The id itself where boxd takes it, else a hash, which no id has itself. */
  static String of(String processId) {
    return PLAIN.matcher(processId).matches() ? processId : "x-" + hash(processId);
  }

  private static String hash(String id) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
