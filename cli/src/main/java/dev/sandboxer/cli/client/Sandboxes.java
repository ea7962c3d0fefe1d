package dev.sandboxer.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sandboxer.cli.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Sandboxes through the API: made, waited for, listed, destroyed. */
public final class Sandboxes {
  private static final Set<String> STARTING = Set.of("requested", "provisioning", "resuming");
  private static final Set<String> ENDED = Set.of("destroyed");
  private static final int FIRST_WAIT_SECONDS = 2;
  private static final int WAIT_SECONDS = 5;
  private static final int TRIES = 3;

  private final Api api;

  public Sandboxes(Api api) {
    this.api = api;
  }

  /**
   * Creates a sandbox and waits until it is ready. A lost answer is asked for again under the same
   * Idempotency-Key, so that there is never a second sandbox.
   *
   * @param limit in which it must be ready; it begins again when an image was fetched, which takes
   *     as long as the platform lets it
   * @param made is told the id as soon as it is known, so that the caller can destroy it whatever
   *     happens next
   * @param tell is given a line about what is waited for
   * @throws Failure when it failed, with its reason
   */
  public JsonNode create(
      JsonNode request, Duration limit, Consumer<String> made, Consumer<String> tell)
      throws InterruptedException {
    String key = UUID.randomUUID().toString();
    try {
      JsonNode first = post(request, key, made);
      made.accept(id(first));
      first.path("warnings").forEach(warning -> tell.accept("warning: " + warning.asText()));
      return await(first, limit, new ImageFetch(api, tell));
    } catch (InterruptedException e) {
      adopt(request, key, made);
      throw e;
    }
  }

  private JsonNode post(JsonNode request, String key, Consumer<String> made)
      throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return api.post("/v1/sandboxes", request, headers(key, FIRST_WAIT_SECONDS)).body();
      } catch (ApiFailure e) {
        String id = e.sandboxId();
        if (id != null) {
          made.accept(id);
        }
        throw e;
      } catch (Api.Unreachable e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  /**
   * Has what a sandbox changed in copied folders written back, and waits for it.
   *
   * @param id of a sandbox that is ready or active
   * @return what was done with each folder
   * @throws Failure if something could not come back
   */
  public JsonNode sync(String id) throws InterruptedException {
    return api.call("POST", "/v1/sandboxes/" + id + "/sync", null, Map.of()).body();
  }

  /**
   * After an interrupt: the create may have taken effect, and the same key tells which sandbox it
   * made.
   */
  private void adopt(JsonNode request, String key, Consumer<String> made) {
    try {
      made.accept(id(api.post("/v1/sandboxes", request, headers(key, 0)).body()));
    } catch (Failure e) {
      // nothing was made, or nobody can be asked any more; the platform's TTL ends what is left
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Map<String, String> headers(String key, int wait) {
    return wait == 0
        ? Map.of("Idempotency-Key", '"' + key + '"')
        : Map.of("Idempotency-Key", '"' + key + '"', "Prefer", "wait=" + wait);
  }

  private JsonNode await(JsonNode first, Duration limit, ImageFetch fetch)
      throws InterruptedException {
    JsonNode sandbox = first;
    long end = System.nanoTime() + limit.toNanos();
    while (STARTING.contains(sandbox.path("state").asText())) {
      if (fetch.goesOn(id(sandbox))) {
        end = System.nanoTime() + limit.toNanos();
      } else if (System.nanoTime() > end) {
        throw Failure.sandboxer(id(sandbox) + " was not ready within " + limit.toSeconds() + " s");
      }
      sandbox =
          api.call(
                  "GET",
                  "/v1/sandboxes/" + id(sandbox),
                  null,
                  Map.of("Prefer", "wait=" + WAIT_SECONDS))
              .body();
    }
    return checked(sandbox);
  }

  private static JsonNode checked(JsonNode sandbox) {
    String state = sandbox.path("state").asText();
    if (state.equals("ready") || state.equals("active")) {
      return sandbox;
    }
    JsonNode failure = sandbox.path("failure");
    throw Failure.sandboxer(
        id(sandbox)
            + " is "
            + state
            + (failure.isObject()
                ? ": "
                    + failure.path("message").asText()
                    + " ("
                    + failure.path("code").asText()
                    + ")"
                : ""));
  }

  /** The grant to reach a sandbox's dataplane: addresses, a short-lived token. */
  public JsonNode access(String id) throws InterruptedException {
    return api.get("/v1/sandboxes/" + id + "/access");
  }

  /** One sandbox's record. */
  public JsonNode get(String id) throws InterruptedException {
    return api.get("/v1/sandboxes/" + id);
  }

  /** Asks for a sandbox's end; done already is no error. */
  public JsonNode delete(String id) throws InterruptedException {
    return api.delete("/v1/sandboxes/" + id);
  }

  /** Deletes and waits until the backend was seen clean. */
  public JsonNode destroy(String id, Duration limit) throws InterruptedException {
    JsonNode sandbox = delete(id);
    long end = System.nanoTime() + limit.toNanos();
    for (long pause = 2;
        !ENDED.contains(sandbox.path("state").asText());
        pause = Math.min(200, pause * 2)) {
      if (System.nanoTime() > end) {
        throw Failure.sandboxer(
            id
                + " is still "
                + sandbox.path("state").asText()
                + " after "
                + limit.toSeconds()
                + " s");
      }
      Thread.sleep(pause);
      sandbox = get(id);
    }
    return sandbox;
  }

  /**
   * Every sandbox, page by page.
   *
   * @param all those that are destroyed as well
   * @param allTenants those of every tenant, which wants an administrator's key
   */
  public List<JsonNode> list(boolean all, boolean allTenants) throws InterruptedException {
    return list(all, allTenants, "");
  }

  /**
   * Those that more parameters leave, page by page.
   *
   * @param all those that are destroyed as well
   * @param allTenants those of every tenant, which wants an administrator's key
   * @param query further parameters, each with an ampersand before it
   */
  public List<JsonNode> list(boolean all, boolean allTenants, String query)
      throws InterruptedException {
    return new Pages(api)
        .all("/v1/sandboxes?live=" + !all + (allTenants ? "&tenant=*" : "") + query);
  }

  /**
   * Waits until a sandbox can be used.
   *
   * @param id of a sandbox
   * @param limit how long
   * @param tell is given a line about what is waited for
   * @return its record
   * @throws Failure when it has failed or ended, or the time is over
   */
  public JsonNode awaitReady(String id, Duration limit, Consumer<String> tell)
      throws InterruptedException {
    return await(get(id), limit, new ImageFetch(api, tell));
  }

  /**
   * Makes a sandbox anew under its id.
   *
   * @param sandbox its record
   * @return its record, on the way
   */
  public JsonNode recreate(JsonNode sandbox) throws InterruptedException {
    return api.post(
            "/v1/sandboxes/" + id(sandbox) + "/recreate",
            JsonNodeFactory.instance.objectNode(),
            Map.of("If-Match", sandbox.path("generation").asText()))
        .body();
  }

  /**
   * Suspends a sandbox, and waits a minute for it.
   *
   * @param id of a sandbox
   * @return its record
   */
  public JsonNode suspend(String id) throws InterruptedException {
    return inAMinute(id, "suspend", Set.of("suspended"), "not_suspended");
  }

  /**
   * Resumes a sandbox, and waits a minute for it.
   *
   * @param id of a sandbox
   * @return its record
   */
  public JsonNode resume(String id) throws InterruptedException {
    return inAMinute(id, "resume", Set.of("ready", "active"), "not_resumed");
  }

  private JsonNode inAMinute(String id, String action, Set<String> wanted, String failed)
      throws InterruptedException {
    JsonNode now =
        api.post(
                "/v1/sandboxes/" + id + "/" + action,
                JsonNodeFactory.instance.objectNode(),
                Map.of("Prefer", "wait=60"))
            .body();
    String state = now.path("state").asText();
    if (wanted.contains(state)) {
      return now;
    }
    for (JsonNode condition : now.path("conditions")) {
      if (condition.path("type").asText().equals(failed)) {
        throw Failure.sandboxer(
            "%s: %s failed, it is %s: %s"
                .formatted(id, action, state, condition.at("/detail/0").asText()));
      }
    }
    throw Failure.sandboxer(
        "%s is %s after a minute; 'sandboxer inspect %s' shows how it goes on"
            .formatted(id, state, id));
  }

  /**
   * Moves the end of a sandbox.
   *
   * @param id of a sandbox
   * @param ttl from now on
   * @return its record
   */
  public JsonNode extendTtl(String id, Duration ttl) throws InterruptedException {
    JsonNode body = JsonNodeFactory.instance.objectNode().put("ttl_seconds", ttl.toSeconds());
    return api.post("/v1/sandboxes/" + id + "/extend-ttl", body, Map.of()).body();
  }

  /** A record's id. */
  public static String id(JsonNode sandbox) {
    String id = sandbox.path("id").asText();
    if (!id.matches("sb_[a-z0-9]{1,64}")) {
      throw Failure.sandboxer(
          "the platform answered a sandbox without an id: is it a Sandboxer platform?");
    }
    return id;
  }
}
