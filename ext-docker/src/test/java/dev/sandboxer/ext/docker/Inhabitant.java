package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.ext.docker.wire.UnixHttpClient;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Runs commands in a sandbox through boxd, as the relay would. */
final class Inhabitant implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final UnixHttpClient http;
  private final BoxdKey key;
  private final SandboxIdentity identity;

  private Inhabitant(Path socket, BoxdKey key, SandboxIdentity identity) {
    this.http = new UnixHttpClient(socket, Duration.ofSeconds(60), timer);
    this.key = key;
    this.identity = identity;
  }

  /** What a command printed and how it ended. */
  record Ran(int exit, String out, String err) {}

  static Inhabitant enter(Reachability reachability, BoxdKey key, SandboxIdentity identity)
      throws IOException, GeneralSecurityException {
    Path socket =
        reachability.dataplane() instanceof DataplaneAddress.UnixSocket(Path path)
            ? path
            : Path.of("/nowhere");
    Inhabitant inhabitant = new Inhabitant(socket, key, identity);
    inhabitant.post("/v1/control/configure", "admin", "{\"env\":{},\"deadline_seconds\":600}");
    return inhabitant;
  }

  Ran sh(String script) throws IOException, GeneralSecurityException {
    return run("/bin/sh", "-c", script);
  }

  Ran run(String... command) throws IOException, GeneralSecurityException {
    JsonNode answer =
        JSON.readTree(post("/v1/exec", "exec", BoxdKey.json(Map.of("command", List.of(command)))));
    if (!answer.has("stdout")) {
      throw new IOException("boxd answered " + answer);
    }
    int exit = answer.get("exit_code").isNull() ? -1 : answer.get("exit_code").asInt();
    return new Ran(exit, answer.get("stdout").asText(), answer.get("stderr").asText());
  }

  private String post(String path, String scope, String body)
      throws IOException, GeneralSecurityException {
    Request request =
        Request.builder()
            .method(Request.Method.POST)
            .path(path)
            .headers(
                Map.of(
                    "Content-Type",
                    "application/json",
                    "Authorization",
                    "Bearer " + key.token(identity, scope)))
            .bodyBytes(body.getBytes(StandardCharsets.UTF_8))
            .build();
    try (Response response = http.execute(request)) {
      return new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    http.close();
    timer.shutdownNow();
  }
}
