package dev.sandboxer.bench.event;

import java.io.IOException;
import java.time.Instant;

/**
 * What of a delivered event matters here.
 *
 * @param subject the sandbox's id
 * @param seq number within the sandbox
 * @param occurredAt when it was written, a moment before its commit, by the database's clock
 */
record Told(String subject, long seq, Instant occurredAt) {

  /** Finds it in the JSON of a stream or of a State Hub's entry, without a parser's cost. */
  static Told in(String json) throws IOException {
    return new Told(
        text(json, "sandbox_id"),
        Long.parseLong(rest(json, "seq").split("[,}]", 2)[0].strip()),
        Instant.parse(text(json, "occurred_at")));
  }

  private static String text(String json, String name) throws IOException {
    return rest(json, name).split("\"", 3)[1];
  }

  private static String rest(String json, String name) throws IOException {
    String key = "\"" + name + "\":";
    int at = json.indexOf(key);
    if (at < 0) {
      throw new IOException("no " + key + " in " + json);
    }
    int from = at + key.length();
    return json.substring(from, Math.min(json.length(), from + 64));
  }
}
