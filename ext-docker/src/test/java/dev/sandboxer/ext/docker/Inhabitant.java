package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.ext.docker.wire.EngineHttpClient;
import dev.sandboxer.ext.docker.wire.UnixRoute;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.testing.PatientCall;
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
  private final EngineHttpClient http;
  private final BoxdKey key;
  private final SandboxIdentity identity;

  private Inhabitant(EngineHttpClient.Dial dial, BoxdKey key, SandboxIdentity identity) {
    this.http = new EngineHttpClient(dial, Duration.ofSeconds(60), timer);
    this.key = key;
    this.identity = identity;
  }

  /** What a command printed and how it ended. */
  record Ran(int exit, String out, String err) {}

  static Inhabitant enter(Reachability reachability, BoxdKey key, SandboxIdentity identity)
      throws IOException, GeneralSecurityException {
    Inhabitant inhabitant = new Inhabitant(dial(reachability), key, identity);
    inhabitant.post("/v1/control/configure", "admin", "{\"env\":{},\"deadline_seconds\":600}");
    return inhabitant;
  }

  private static EngineHttpClient.Dial dial(Reachability reachability) {
    return switch (reachability.dataplane()) {
      case DataplaneAddress.UnixSocket(Path path) -> new UnixRoute(path)::open;
      case DataplaneAddress.Streams(ByteStreamOpener opener) ->
          () -> {
            try {
              return opener.open(new PatientCall());
            } catch (ExtensionException e) {
              throw new IllegalStateException(e);
            }
          };
      case null, default -> throw new AssertionError("no dataplane");
    };
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
