package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/** How far a process's two streams were read, in bytes from their beginning. */
final class LogPosition {
  static final int STDOUT = 1;
  static final int STDERR = 2;

  private long stdout;
  private long stderr;
  private boolean byTime;
  private long sinceNanos;

  /** The beginning. */
  LogPosition() {}

  /** The present end, of a process's record. */
  LogPosition(JsonNode process) {
    this.stdout = process.path("stdout").path("next").asLong();
    this.stderr = process.path("stderr").path("next").asLong();
  }

  /** What was written in this time until now; which bytes those are, the sandbox says. */
  synchronized void since(Duration time) {
    byTime = true;
    sinceNanos = System.nanoTime() - time.toNanos();
  }

  /** Where a connection begins, as its {@code ready} says. */
  synchronized void begin(JsonNode offsets) {
    if (byTime) {
      byTime = false;
      stdout = Math.max(0, offsets.path("stdout").asLong());
      stderr = Math.max(0, offsets.path("stderr").asLong());
    }
  }

  synchronized void moved(int channel, int bytes) {
    if (channel == STDOUT) {
      stdout = further(stdout, bytes);
    } else if (channel == STDERR) {
      stderr = further(stderr, bytes);
    }
  }

  /** An offset that the sandbox made up does not begin again below zero. */
  private static long further(long from, int bytes) {
    return Math.max(from, from + bytes);
  }

  synchronized void skip(String stream, long to) {
    if (stream.equals("stdout")) {
      stdout = Math.max(stdout, to);
    } else if (stream.equals("stderr")) {
      stderr = Math.max(stderr, to);
    }
  }

  synchronized boolean reached(LogPosition other) {
    return !byTime && stdout >= other.stdout && stderr >= other.stderr;
  }

  /** As the parameters of {@code attach}. */
  synchronized String query() {
    if (byTime) {
      return "since_seconds=" + Duration.ofNanos(System.nanoTime() - sinceNanos).toSeconds();
    }
    return "stdout_offset=" + stdout + "&stderr_offset=" + stderr;
  }
}
