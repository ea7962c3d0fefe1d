package dev.sandboxer.bench.records;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times passes of the reaper by the platform's own metric, one pass after the other. */
record ReaperPasses(Endpoint api) {

  private static final long LOOK_MILLIS = 250; // passes come one a second
  private static final long PATIENCE_NANOS = Duration.ofMinutes(2).toNanos();

  /**
   * The metric.
   *
   * @param count of passes
   * @param seconds of all together
   */
  private record Reading(long count, double seconds) {}

  /** Measures the next passes, in milliseconds each. */
  Samples next(int passes) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    Samples millis = new Samples();
    try (Connection connection = api.connect()) {
      Reading before = read(connection);
      while (millis.count() < passes) {
        Thread.sleep(LOOK_MILLIS);
        Reading now = read(connection);
        if (now.count() == before.count() + 1) {
          millis.add((now.seconds() - before.seconds()) * 1e3);
        }
        before = now;
        if (System.nanoTime() - end > 0) {
          throw new IOException("only %d passes of the reaper".formatted(millis.count()));
        }
      }
    }
    return millis;
  }

  private Reading read(Connection connection) throws IOException {
    String text = connection.call(api.get("/v1/metrics")).require(200).text();
    return new Reading((long) figure(text, "count"), figure(text, "sum"));
  }

  /** The metric is not there before the first pass. */
  private static double figure(String text, String name) {
    Matcher line =
        Pattern.compile("(?m)^sandboxer_reaper_pass_seconds_" + name + "\\S* (\\S+)").matcher(text);
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }
}
