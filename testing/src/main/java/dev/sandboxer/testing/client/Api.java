package dev.sandboxer.testing.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** A caller of the HTTP API with one key. */
public record Api(URI base, String key) {

  public static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A reply with its body read as JSON, if it is any. */
  public record Reply(int status, java.net.http.HttpHeaders headers, String text) {

    public JsonNode json() {
      try {
        return JSON.readTree(text);
      } catch (IOException e) {
        throw new UncheckedIOException("not JSON: " + text, e);
      }
    }

    public String field(String pointer) {
      return json().at(pointer).asText();
    }

    public String code() {
      return field("/error/code");
    }
  }

  public Api withKey(String other) {
    return new Api(base, other);
  }

  public Reply get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  public Reply post(String path, String body, String... headers) {
    return send("POST", path, body.getBytes(java.nio.charset.StandardCharsets.UTF_8), headers);
  }

  public Reply delete(String path, String... headers) {
    return send("DELETE", path, null, headers);
  }

  public Reply send(
      String method,
      String path,
      byte @org.jspecify.annotations.Nullable [] body,
      String... headers) {
    URI target = path.startsWith("http") ? URI.create(path) : base.resolve(path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target)
            .timeout(Duration.ofMinutes(2))
            .method(
                method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (!key.isEmpty()) {
      request.setHeader("Authorization", "Bearer " + key);
    }
    if (body != null) {
      request.setHeader("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    return send(request.build());
  }

  private static Reply send(HttpRequest request) {
    try {
      HttpResponse<String> response = CLIENT.send(request, BodyHandlers.ofString());
      return new Reply(response.statusCode(), response.headers(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int readyStatus() {
    try {
      return get("/v1/health/ready").status();
    } catch (UncheckedIOException e) {
      return 0;
    }
  }

  /** Makes a sandbox of the local profile and waits until it is ready. */
  public JsonNode ready() {
    return ready("local");
  }

  /** Makes a sandbox of a profile and waits until it is ready. */
  public JsonNode ready(String profile) {
    Reply reply = post("/v1/sandboxes", create(profile), "Prefer", "wait=60");
    if (reply.status() != 201) {
      throw new AssertionError(reply.toString());
    }
    return reply.json();
  }

  public static String create(String profile) {
    return """
        {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"}}
        """
        .formatted(profile);
  }

  /** Gets a grant for a sandbox. */
  public Dataplane access(String sandbox) {
    Reply reply = get("/v1/sandboxes/" + sandbox + "/access");
    if (reply.status() != 200) {
      throw new AssertionError(reply.toString());
    }
    return new Dataplane(new Api(base, reply.field("/token")), reply.field("/http_base_url"));
  }

  /** Those of the other tenants as well; needs an administrator's key. */
  public void destroyAllOfAllTenants() {
    destroyAll("&tenant=*");
  }

  public void destroyAll() {
    destroyAll("");
  }

  private void destroyAll(String whose) {
    for (JsonNode item : get("/v1/sandboxes?live=true&limit=1000" + whose).json().path("items")) {
      var _ = delete("/v1/sandboxes/" + item.path("id").asText(), "Prefer", "wait=30");
    }
  }

  /** One sandbox's dataplane. */
  public record Dataplane(Api api, String url) {

    public Reply get(String path) {
      return api.get(url + path);
    }

    public Reply post(String path, String body) {
      return api.post(url + path, body);
    }

    public Reply delete(String path) {
      return api.delete(url + path);
    }

    public Reply exec(String... command) {
      return api.post(url + "/exec", JSON.valueToTree(Map.of("command", command)).toString());
    }

    public Reply upload(String path, byte[] bytes) {
      return api.send(
          "POST",
          url + "/files/upload?path=" + path,
          bytes,
          "Content-Type",
          "application/octet-stream");
    }

    public Reply download(String path) {
      return api.get(url + "/files/download?path=" + path);
    }
  }
}
