package dev.sandboxer.testing.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.UUID;

/** The session doors, as a client uses them. */
public record Door(Api api) {

  public static final String PATH = "/v1/sandbox/sessions";

  public static String thread() {
    return "thr_" + UUID.randomUUID();
  }

  public Api.Reply send(String mode, String thread, String... headers) {
    return api.post(
        PATH, "{\"thread_id\": \"%s\", \"mode\": \"%s\"}".formatted(thread, mode), headers);
  }

  public int statusOfEnsure() {
    return send("ensure", thread()).status();
  }

  public JsonNode ensure(String thread, String... headers) {
    return ok(send("ensure", thread, headers));
  }

  public Api.Reply full(String type, String id, String more) {
    return api.post(
        PATH,
        "{\"scope\": {\"type\": \"%s\", \"id\": \"%s\"}, \"mode\": \"ensure\"%s}"
            .formatted(type, id, more));
  }

  public Api.Reply acquire(String thread, String more, String... headers) {
    return api.post(
        "/sandbox/acquire", "{\"thread_id\": \"%s\"%s}".formatted(thread, more), headers);
  }

  public Api.Reply on(String session, String verb) {
    return api.post(PATH + "/" + session + "/" + verb, "{}");
  }

  public Api.Reply look(String session) {
    return api.get(PATH + "/" + session);
  }

  public Api.Reply release(String session) {
    return api.delete(PATH + "/" + session);
  }

  /** What a grant's session is bound to, such as {@code user usr_1}. */
  public String scope(JsonNode grant) {
    JsonNode scope = look(grant.path("session_id").asText()).json().at("/binding/scope");
    return scope.path("type").asText() + " " + scope.path("id").asText();
  }

  /** How many sessions end with a scope, such as {@code thread/th-1}. */
  public int ended(String scope) {
    return ok(api.post("/v1/sandbox/scopes/" + scope + "/end", "{}"))
        .path("ended_sessions")
        .asInt();
  }

  /** The sandbox's dataplane with the token of a reply of either door. */
  public Api.Dataplane inside(JsonNode reply) {
    JsonNode grant = reply.path("http_url");
    String url =
        grant.isMissingNode() ? reply.at("/sandbox/http_base_url").asText() : grant.asText();
    return new Api.Dataplane(api.withKey(reply.path("token").asText()), url);
  }

  public Api.Dataplane inside(JsonNode reply, String token) {
    return new Api.Dataplane(api.withKey(token), inside(reply).url());
  }

  public String sandboxState(String sandbox) {
    return api.get("/v1/sandboxes/" + sandbox).field("/state");
  }

  public static JsonNode ok(Api.Reply reply) {
    if (reply.status() != 200) {
      throw new AssertionError(reply.toString());
    }
    return reply.json();
  }

  /**
   * A key of another tenant, or of this one with other powers; JSON members after name and role.
   */
  public Api.Reply makeKey(String role, String more) {
    return api.post(
        "/v1/keys",
        "{\"name\": \"k-%s\", \"role\": \"%s\"%s}"
            .formatted(UUID.randomUUID().toString().substring(0, 8), role, more));
  }

  public Door withNewKey(String role, String more) {
    return new Door(api.withKey(makeKey(role, more).field("/key")));
  }

  public Door ofNewTenant(String name) {
    var made = api.post("/v1/tenants", "{\"name\": \"%s\"}".formatted(name));
    if (made.status() != 201) {
      throw new AssertionError(made.toString());
    }
    return withNewKey("consumer", ", \"tenant\": \"" + name + "\"");
  }
}
