package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.id.Sha256;
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
    return HexFormat.of().formatHex(Sha256.of(id)).substring(0, HASH_DIGITS);
  }
}
