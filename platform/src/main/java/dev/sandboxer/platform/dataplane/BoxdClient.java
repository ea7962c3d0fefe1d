package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.spi.DataplaneAddress;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The platform's own calls to boxd: is it the right one, and its configuration. Calls block; they
 * are meant for virtual threads. What boxd answers is hostile input: bounded, and believed only as
 * far as it is checked here.
 */
public final class BoxdClient {

  private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
  private static final long POLL_MILLIS = 1;
  private static final int MAX_REPLY_BYTES = 64 * 1024;
  private static final int OK = 200;
  private static final int NO_CONTENT = 204;

  private final WireClient client;
  private final TokenMinter minter;
  private final BlockingCalls calls;

  /**
   * Makes a client with an event loop of its own.
   *
   * @param vertx with the native transport
   * @param client to speak through
   * @param minter of admin relay tokens
   */
  public BoxdClient(Vertx vertx, WireClient client, TokenMinter minter) {
    this.client = client;
    this.minter = minter;
    this.calls = new BlockingCalls(vertx);
  }

  /**
   * Waits until boxd answers, trying each millisecond, and checks that it is the one meant.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param address where it listens
   * @param limit how long to try
   * @throws BoxdException if it does not answer in time, or another sandbox's boxd does
   */
  public void awaitHealth(
      SandboxId sandboxId, int generation, DataplaneAddress address, Duration limit)
      throws BoxdException {
    Endpoint endpoint = endpoint(sandboxId, generation, address);
    untilAnswered(
        endpoint,
        limit,
        left -> {
          checkHealth(endpoint, left);
          return true;
        });
  }

  /**
   * Gives boxd its environment and hard deadline, as soon as it answers. Only the boxd that is
   * meant takes the token that comes with them. Repeatable; the last call wins.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param address where it listens
   * @param environment of all commands
   * @param deadlineSeconds from now, when boxd ends the sandbox by itself
   * @param limit how long to try
   * @throws BoxdException if it does not answer in time, does not take it, or is another sandbox's
   */
  public void configure(
      SandboxId sandboxId,
      int generation,
      DataplaneAddress address,
      Map<String, String> environment,
      long deadlineSeconds,
      Duration limit)
      throws BoxdException {
    Endpoint endpoint = endpoint(sandboxId, generation, address);
    JsonObject body =
        new JsonObject()
            .put("env", new JsonObject(Map.copyOf(environment)))
            .put("deadline_seconds", deadlineSeconds);
    Answer reply =
        untilAnswered(endpoint, limit, left -> send(endpoint, "configure", body.toBuffer(), left));
    if (reply.status() != NO_CONTENT) {
      awaitHealth(sandboxId, generation, address, limit); // tells better what is wrong
      throw failure(endpoint, "answered configure with status " + reply.status());
    }
  }

  /**
   * Writes a file that only the sandbox's user may read, before {@link #configure}.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param address where it listens
   * @param file of the sandbox
   * @param limit how long to try
   * @throws BoxdException if boxd does not answer in time, or cannot write it
   */
  public void write(
      SandboxId sandboxId,
      int generation,
      DataplaneAddress address,
      PrivateFile file,
      Duration limit)
      throws BoxdException {
    Endpoint endpoint = endpoint(sandboxId, generation, address);
    JsonObject entry =
        new JsonObject()
            .put("path", file.path())
            .put("content", Base64.getEncoder().encodeToString(file.content()))
            .put("after", new JsonArray(file.after()));
    JsonObject body = new JsonObject().put("files", new JsonArray().add(entry));
    Answer reply =
        untilAnswered(endpoint, limit, left -> send(endpoint, "configure", body.toBuffer(), left));
    if (reply.status() != NO_CONTENT) {
      throw failure(
          endpoint,
          "cannot write %s: %s"
              .formatted(
                  file.path(),
                  reply
                      .json()
                      .map(problem -> String.valueOf(problem.getValue("detail")))
                      .orElse("status " + reply.status())));
    }
  }

  private <T> T untilAnswered(Endpoint endpoint, Duration limit, Attempted<T> attempted)
      throws BoxdException {
    long end = System.nanoTime() + limit.toNanos();
    @Nullable WireException before = null;
    while (true) {
      try {
        return attempted.within(Duration.ofNanos(left(end)));
      } catch (WireException e) {
        if (left(end) == 0) {
          String why = (before == null ? e : before).reason();
          throw failure(endpoint, "did not become healthy within " + limit + ": " + why);
        }
        before = e;
        pause(endpoint);
      }
    }
  }

  /** Something to ask of a boxd that may not listen yet. */
  @FunctionalInterface
  private interface Attempted<T> {
    T within(Duration left) throws WireException, BoxdException;
  }

  /**
   * Moves the hard deadline.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param address where it listens
   * @param deadlineSeconds from now, when boxd ends the sandbox by itself
   * @throws BoxdException if boxd does not take it
   */
  public void deadline(
      SandboxId sandboxId, int generation, DataplaneAddress address, long deadlineSeconds)
      throws BoxdException {
    JsonObject body = new JsonObject().put("deadline_seconds", deadlineSeconds);
    var _ = control(endpoint(sandboxId, generation, address), "deadline", body, NO_CONTENT);
  }

  /**
   * Asks what is mounted. To be believed only before the first user command.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param address where it listens
   * @param paths inside
   * @return path to {@code device:inode}
   * @throws BoxdException if boxd does not say it
   */
  public Map<String, String> mounts(
      SandboxId sandboxId, int generation, DataplaneAddress address, Collection<String> paths)
      throws BoxdException {
    Endpoint endpoint = endpoint(sandboxId, generation, address);
    JsonObject body = new JsonObject().put("paths", new JsonArray(List.copyOf(paths)));
    Answer reply = control(endpoint, "mounts", body, OK);
    if (!(object(endpoint, reply, "mounts").getValue("mounts") instanceof JsonObject found)) {
      throw failure(endpoint, "answered mounts without naming them");
    }
    Map<String, String> mounts = new LinkedHashMap<>();
    for (String path : paths) {
      mounts.put(path, String.valueOf(found.getValue(path)));
    }
    return mounts;
  }

  private static JsonObject object(Endpoint endpoint, Answer reply, String action)
      throws BoxdException {
    return reply
        .json()
        .orElseThrow(
            () ->
                failure(endpoint, "answered " + action + " with something that is no JSON object"));
  }

  private Answer control(Endpoint endpoint, String action, JsonObject json, int expected)
      throws BoxdException {
    try {
      Answer reply = send(endpoint, action, json.toBuffer(), CALL_LIMIT);
      if (reply.status() != expected) {
        throw failure(endpoint, "answered " + action + " with status " + reply.status());
      }
      return reply;
    } catch (WireException e) {
      throw failure(endpoint, "did not take " + action + ": " + e.reason());
    }
  }

  private Answer send(Endpoint endpoint, String action, Buffer body, Duration limit)
      throws WireException, BoxdException {
    String token =
        minter.relay(endpoint.sandboxId(), endpoint.generation(), Capability.ADMIN).value();
    RequestHead head =
        new RequestHead("POST", "/v1/control/" + action)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .length(body.length());
    return call(endpoint, head, body, limit);
  }

  private void checkHealth(Endpoint endpoint, Duration limit) throws WireException, BoxdException {
    Answer reply = call(endpoint, new RequestHead("GET", "/v1/health"), null, limit);
    if (reply.status() != OK) {
      throw new WireException("health has status " + reply.status());
    }
    JsonObject health = object(endpoint, reply, "health");
    boolean same =
        endpoint.sandboxId().publicId().equals(health.getValue("sandbox_id"))
            && Integer.valueOf(endpoint.generation()).equals(health.getValue("generation"));
    if (!same) {
      throw failure(endpoint, "is another sandbox's or generation's");
    }
  }

  private Answer call(Endpoint endpoint, RequestHead head, @Nullable Buffer body, Duration limit)
      throws WireException, BoxdException {
    ReplyCollector collector = new ReplyCollector(MAX_REPLY_BYTES);
    try {
      return calls.await(
          collector,
          limit,
          () ->
              client.begin(
                  endpoint,
                  head,
                  collector,
                  exchange -> collector.begin(exchange, body),
                  collector::failed));
    } catch (InterruptedException e) {
      throw interrupted(endpoint);
    }
  }

  private static Endpoint endpoint(SandboxId sandboxId, int generation, DataplaneAddress address) {
    return new Endpoint(sandboxId, generation, Transport.of(address));
  }

  private static long left(long end) {
    return Math.max(0, end - System.nanoTime());
  }

  private static void pause(Endpoint endpoint) throws BoxdException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(endpoint);
    }
  }

  private static BoxdException interrupted(Endpoint endpoint) {
    Thread.currentThread().interrupt();
    return failure(endpoint, "was not waited for: the call was cancelled");
  }

  private static BoxdException failure(Endpoint endpoint, String what) {
    return new BoxdException("boxd of " + endpoint.sandboxId() + " " + what);
  }

  /** boxd does not do what it must. The message is for a person. */
  public static final class BoxdException extends Exception {

    private static final long serialVersionUID = 1L;

    BoxdException(String message) {
      super(message);
    }
  }
}
