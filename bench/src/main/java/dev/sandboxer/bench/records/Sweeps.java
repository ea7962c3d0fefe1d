package dev.sandboxer.bench.records;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Samples;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sweeps that are ordered one after the other, timed by their own reports. */
final class Sweeps implements AutoCloseable {

  private static final String PATH = "/v1/sweeps";
  private static final long LOOK_MILLIS = 50;
  private static final long PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

  private final Endpoint api;
  private final Connection connection;

  Sweeps(Endpoint api) throws IOException {
    this.api = api;
    this.connection = api.connect();
  }

  /** Runs sweeps; each sample is the milliseconds from the claim of the place to its result. */
  Samples run(int times) throws IOException, InterruptedException {
    Samples millis = new Samples();
    for (int i = 0; i < times; i++) {
      millis.add(one());
    }
    return millis;
  }

  /** One that compared all records with all objects and found no difference. */
  double one() throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    String id = connection.call(api.post(PATH, "{}")).require(202).field("id");
    while (System.nanoTime() - end < 0) {
      Reply report = connection.call(api.get(PATH + "/" + id)).require(200);
      if (report.field("state").equals("done")) {
        Optional<Map<?, ?>> place = place(report);
        if (place.isPresent()) {
          return millis(place.get());
        }
        id = connection.call(api.post(PATH, "{}")).require(202).field("id");
      }
      Thread.sleep(LOOK_MILLIS);
    }
    throw new IOException("no sweep of the backend that does nothing");
  }

  /** Empty if the platform does not know yet that the backend is there. */
  private static Optional<Map<?, ?>> place(Reply report) throws IOException {
    if (report.json().get("places") instanceof List<?> places) {
      for (Object place : places) {
        if (place instanceof Map<?, ?> fields && "ext.nothing".equals(fields.get("extension"))) {
          return Optional.of(fields);
        }
      }
    }
    return Optional.empty();
  }

  private static double millis(Map<?, ?> place) throws IOException {
    if (place.get("result") instanceof Map<?, ?> result
        && all(result, "listed", Copies.EACH)
        && all(result, "recorded", Copies.EACH)
        && all(result, "suspects", 0)
        && all(result, "missing", 0)) {
      return Duration.between(at(result, "began_at"), at(result, "ended_at")).toNanos() / 1e6;
    }
    throw new IOException("a sweep did not find what there is: " + place);
  }

  private static boolean all(Map<?, ?> result, String field, long wanted) {
    return result.get(field) instanceof Number number && number.longValue() == wanted;
  }

  private static Instant at(Map<?, ?> result, String field) {
    return Instant.parse(String.valueOf(result.get(field)));
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
