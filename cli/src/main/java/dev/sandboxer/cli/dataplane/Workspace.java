package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.archive.Packer;
import dev.sandboxer.cli.archive.Tally;
import dev.sandboxer.cli.archive.Unpacker;
import dev.sandboxer.cli.client.HttpClients;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The files of a sandbox's working directory, whole: a folder's contents in, and out again beneath
 * one folder.
 */
public final class Workspace {
  private static final int PIPE = 256 * 1024;
  private static final long MOST_BYTES = 16L << 30;
  private static final int MOST_ENTRIES = 1_000_000;

  private final HttpClients http;
  private final ObjectMapper json;

  public Workspace(HttpClients http, ObjectMapper json) {
    this.http = http;
    this.json = json;
  }

  /**
   * Puts the contents of {@code folder} into the working directory.
   *
   * @throws Failure when the folder cannot be read or the sandbox refuses
   */
  public Tally putIn(Dataplane dataplane, Path folder) throws InterruptedException {
    HttpRequest.Builder request =
        request(dataplane, "/files/upload?path=.&extract=tar")
            .header("Content-Type", "application/x-tar");
    try (PipedInputStream source = new PipedInputStream(PIPE)) {
      PipedOutputStream sink = new PipedOutputStream(source);
      CompletableFuture<Tally> packed = new CompletableFuture<>();
      Thread.ofPlatform().daemon().name("pack").start(() -> pack(folder, sink, packed));
      HttpResponse<String> response =
          http.of(request.build().uri())
              .send(
                  request.POST(BodyPublishers.ofInputStream(() -> source)).build(),
                  BodyHandlers.ofString());
      check(response.statusCode(), response.body(), "copy files in");
      return packed.join();
    } catch (IOException e) {
      throw Failure.sandboxer("copying " + folder + " in failed: " + e.getMessage(), e);
    } catch (CompletionException e) {
      throw Failure.sandboxer("copying " + folder + " in failed: " + cause(e), e);
    }
  }

  /** A failure is told through {@code packed}: the sandbox may have taken the part before it. */
  private static void pack(Path folder, PipedOutputStream sink, CompletableFuture<Tally> packed) {
    try (sink) {
      packed.complete(new Packer().pack(folder, sink));
    } catch (IOException | RuntimeException e) {
      packed.completeExceptionally(e);
    }
  }

  /**
   * Brings the working directory back beneath {@code folder}, which is made where it is not there.
   *
   * @throws Failure when the sandbox sends something unsafe or the folder cannot be written
   */
  public Tally bringOut(Dataplane dataplane, Path folder) throws InterruptedException {
    HttpRequest request = request(dataplane, "/files/download?path=.&archive=tar").GET().build();
    try {
      Files.createDirectories(folder);
      HttpResponse<InputStream> response =
          http.of(request.uri()).send(request, BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() != 200) {
          check(
              response.statusCode(),
              new String(body.readNBytes(PIPE), java.nio.charset.StandardCharsets.UTF_8),
              "bring files out");
        }
        return new Unpacker(folder, MOST_BYTES, MOST_ENTRIES).unpack(body);
      }
    } catch (IOException e) {
      throw Failure.sandboxer("bringing files out to " + folder + " failed: " + e.getMessage(), e);
    }
  }

  private static HttpRequest.Builder request(Dataplane dataplane, String route)
      throws InterruptedException {
    Dataplane.Access access = dataplane.access();
    return HttpRequest.newBuilder(URI.create(access.http() + route))
        .header("Authorization", "Bearer " + access.token());
  }

  private void check(int status, String body, String doing) throws IOException {
    if (status < 300) {
      return;
    }
    JsonNode error = error(body);
    String code = error.path("code").asText("");
    throw Failure.sandboxer(
        "the sandbox could not "
            + doing
            + ": "
            + error.path("message").asText("it answered " + status)
            + (code.isEmpty() ? "" : " (" + code + ")"));
  }

  private JsonNode error(String body) {
    try {
      return json.readTree(body).path("error");
    } catch (IOException e) {
      return json.missingNode();
    }
  }

  private static String cause(CompletionException e) {
    return e.getCause() == null
        ? String.valueOf(e.getMessage())
        : String.valueOf(e.getCause().getMessage());
  }
}
