package dev.sandboxer.bench.records;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Creates of real sandboxes one after the other, each destroyed before the next one. */
final class Creates implements AutoCloseable {

  private final Endpoint api;
  private final Connection connection;
  private final ByteBuffer creation;
  private final List<String> made = new ArrayList<>();

  Creates(Endpoint api) throws IOException {
    this.api = api;
    this.connection = api.connect();
    this.creation = Sandbox.creation(api);
  }

  /** Adds samples: milliseconds from the request until the sandbox is ready. */
  void run(int times, Samples millis) throws IOException {
    for (int i = 0; i < times; i++) {
      long begin = System.nanoTime();
      String id = Sandbox.create(connection, creation);
      millis.add((System.nanoTime() - begin) / 1e6);
      Sandbox.destroy(connection, api, id);
      made.add(id);
    }
  }

  /** By the events of all that were made: from the record of the create to its worker's first. */
  Samples claimed() throws IOException {
    Samples millis = new Samples();
    for (String id : made) {
      Reply page = connection.call(api.get("/v1/sandboxes/" + id + "/events")).require(200);
      Duration until =
          Duration.between(at(page, "sandbox.requested"), at(page, "sandbox.provisioning"));
      millis.add(until.toNanos() / 1e6);
    }
    return millis;
  }

  private static Instant at(Reply page, String type) throws IOException {
    if (page.json().get("items") instanceof List<?> items) {
      for (Object item : items) {
        if (item instanceof Map<?, ?> event && type.equals(event.get("type"))) {
          return Instant.parse(String.valueOf(event.get("occurred_at")));
        }
      }
    }
    throw new IOException("no event " + type + " in " + page.text());
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
