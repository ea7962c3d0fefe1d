package dev.sandboxer.bench.subject;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;

/** A sandbox of the platform. */
public record Sandbox(Endpoint api, String id) implements AutoCloseable {

  /** The request body of an exec of {@code true}. */
  public static final String TRUE = "{\"command\":[\"true\"]}";

  private static final String LOCAL = "local";
  private static final String WAIT = "Prefer: wait=120";

  /** The request that creates one of profile {@code local} and is answered once it is ready. */
  public static ByteBuffer creation(Endpoint api) {
    return creation(api, LOCAL);
  }

  /** The same for a profile. */
  public static ByteBuffer creation(Endpoint api, String profile) {
    return api.post("/v1/sandboxes", body(profile), WAIT);
  }

  /** One of profile {@code local} that is answered once it is recorded. */
  public static ByteBuffer creationAtOnce(Endpoint api) {
    return api.post("/v1/sandboxes", body(LOCAL));
  }

  private static String body(String profile) {
    String consumer = "{\"actor\":\"atm\",\"project\":\"bench\"}";
    return "{\"profile\":\"" + profile + "\",\"consumer\":" + consumer + "}";
  }

  /** Creates one on a connection and returns its id. */
  public static String create(Connection connection, ByteBuffer creation) throws IOException {
    Reply created = connection.call(creation).require(201);
    return requireState(created, "ready").field("id");
  }

  /** Destroys one on a connection; returns once nothing is left of it. */
  public static void destroy(Connection connection, Endpoint api, String id) throws IOException {
    Reply reply = connection.call(api.delete("/v1/sandboxes/" + id, WAIT)).require(200);
    requireState(reply, "destroyed");
  }

  static Sandbox create(Endpoint api) throws IOException {
    return create(api, LOCAL);
  }

  /** A new one of a profile, once it is ready. */
  public static Sandbox create(Endpoint api, String profile) throws IOException {
    try (Connection connection = api.connect()) {
      return new Sandbox(api, create(connection, creation(api, profile)));
    }
  }

  /** Its dataplane through the relay, with a new token. */
  public Endpoint relay() throws IOException {
    try (Connection connection = api.connect()) {
      Reply grant = connection.call(api.get("/v1/sandboxes/" + id + "/access")).require(200);
      return Endpoint.tcp(URI.create(grant.field("http_base_url")), grant.field("token"));
    }
  }

  private static Reply requireState(Reply reply, String state) throws IOException {
    if (!reply.field("state").equals(state)) {
      throw new IOException("not " + state + ": " + reply.text());
    }
    return reply;
  }

  @Override
  public void close() throws IOException {
    try (Connection connection = api.connect()) {
      destroy(connection, api, id);
    }
  }
}
