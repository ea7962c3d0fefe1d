package dev.sandboxer.testing.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The small State Hub of {@code tools/}, as a process of its own. */
public final class StateHub implements AutoCloseable {

  private final Path store;
  private Process process;
  private URI url;

  private StateHub(Path store, int port) {
    this.store = store;
    this.process = launch(store, port);
    this.url = address(process);
  }

  public static StateHub start() {
    return start(FreePort.find());
  }

  /** One at a port that the platform knows already. */
  public static StateHub start(int port) {
    try {
      Path store = Files.createTempDirectory("sbxhub").resolve("progress.jsonl");
      return new StateHub(store, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public URI url() {
    return url;
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly();
    var _ = process.waitFor();
  }

  /** Comes back on the same port, with what it had stored. */
  public void comeBack() {
    process = launch(store, url.getPort());
    url = address(process);
  }

  public void fault(String mode) {
    Api.Reply reply = new Api(url, "").post("/fault/" + mode, "{}");
    if (reply.status() != 200) {
      throw new AssertionError(reply.toString());
    }
  }

  /** How many requests wait for its answer. */
  public int open() {
    return new Api(url, "").get("/open").json().path("open").asInt();
  }

  /** What it has been told about one sandbox or tenant, in the order of arrival. */
  public List<JsonNode> of(String subject) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode entry : new Api(url, "").get("/progress/").json()) {
      JsonNode detail = entry.at("/progress/detail");
      if (detail.path("sandbox_id").asText(detail.path("tenant").asText()).equals(subject)) {
        found.add(entry);
      }
    }
    return found;
  }

  private static Process launch(Path store, int port) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path source = Path.of("..", "tools", "state-hub", "StateHub.java");
    try {
      return new ProcessBuilder(
              java.toString(), source.toString(), Integer.toString(port), store.toString())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URI address(Process process) {
    try {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = lines.readLine();
      if (line == null) {
        throw new AssertionError("the State Hub did not start");
      }
      return URI.create(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Files.deleteIfExists(store);
      Files.deleteIfExists(store.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
