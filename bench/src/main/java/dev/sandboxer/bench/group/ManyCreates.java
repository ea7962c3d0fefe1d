package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Creates, then deletes, by eight clients at once: how many a second. */
record ManyCreates(Endpoint api, String profile, String id) {

  private static final int CLIENTS = 8;
  private static final int EACH = 4;
  private static final int ROUNDS = 5;

  List<Row> rows() throws Exception {
    Samples creates = new Samples();
    Samples deletes = new Samples();
    try (ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
      for (int round = 0; round < ROUNDS; round++) {
        round(pool, creates, deletes);
      }
    }
    return List.of(
        Row.of(id + ".many", profile + ": creates to ready, 8 at once", "1/s", creates),
        Row.of(id + ".many.delete", profile + ": deletes to destroyed, 8 at once", "1/s", deletes));
  }

  private void round(ExecutorService pool, Samples creates, Samples deletes) throws Exception {
    long begin = System.nanoTime();
    List<Future<List<String>>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(pool.submit(this::create));
    }
    List<List<String>> made = all(clients);
    long between = System.nanoTime();
    List<Future<Boolean>> ends = new ArrayList<>();
    for (List<String> ids : made) {
      ends.add(pool.submit(() -> destroy(ids)));
    }
    List<Boolean> _ = all(ends);
    creates.add(rate(between - begin));
    deletes.add(rate(System.nanoTime() - between));
  }

  private List<String> create() throws Exception {
    ByteBuffer creation = Sandbox.creation(api, profile);
    List<String> ids = new ArrayList<>();
    try (Connection connection = api.connect()) {
      for (int i = 0; i < EACH; i++) {
        ids.add(Sandbox.create(connection, creation));
      }
    }
    return ids;
  }

  private boolean destroy(List<String> ids) throws Exception {
    try (Connection connection = api.connect()) {
      for (String id : ids) {
        Sandbox.destroy(connection, api, id);
      }
    }
    return true;
  }

  private static <T> List<T> all(List<Future<T>> futures) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get());
    }
    return results;
  }

  private static double rate(long nanos) {
    return CLIENTS * EACH * 1e9 / nanos;
  }
}
