package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.archive.Packer;
import dev.sandboxer.cli.archive.Tally;
import dev.sandboxer.cli.archive.Unpacker;
import dev.sandboxer.cli.client.HttpClients;
import dev.sandboxer.cli.client.Replies;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The files of a sandbox. Paths inside are absolute, or relative to its working directory. */
public final class SandboxFiles {
  private static final int PIPE = 256 * 1024;
  private static final long MOST_BYTES = 16L << 30;
  private static final int MOST_ENTRIES = 1_000_000;
  private static final int OK = 200;
  private static final int FIRST_ERROR = 300;

  private final HttpClients http;
  private final ObjectMapper json;

  public SandboxFiles(HttpClients http, ObjectMapper json) {
    this.http = http;
    this.json = json;
  }

  /**
   * Looks at one file, not through a link.
   *
   * @return empty where nothing is there
   * @throws FilesRefused for any other refusal
   */
  public Optional<InsideFile> stat(Dataplane dataplane, String path) throws InterruptedException {
    HttpRequest request = request(dataplane, "stat", path, "").GET().build();
    try {
      HttpResponse<String> response = send(request);
      check(response.statusCode(), response.body());
      return Optional.of(InsideFile.of(json.readTree(response.body())));
    } catch (FilesRefused e) {
      if (e.code().equals("NOT_FOUND")) {
        return Optional.empty();
      }
      throw e;
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Writes a file, in one step: a failure leaves what was there.
   *
   * @param bytes are read to their end
   * @param mode octal, such as {@code 0644}; empty keeps that of the file that is replaced
   */
  public void putFile(Dataplane dataplane, InputStream bytes, String path, String mode)
      throws InterruptedException {
    HttpRequest request =
        request(dataplane, "upload", path, mode.isEmpty() ? "" : "&mode=" + mode)
            .header("Content-Type", "application/octet-stream")
            .POST(BodyPublishers.ofInputStream(() -> bytes))
            .build();
    try {
      HttpResponse<String> response = send(request);
      check(response.statusCode(), response.body());
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Reads a file.
   *
   * @return how many bytes were written to {@code to}
   * @throws IOException when {@code to} cannot be written or the connection broke
   */
  public long getFile(Dataplane dataplane, String path, OutputStream to, Progress progress)
      throws IOException, InterruptedException {
    try (InputStream body = open(request(dataplane, "download", path, "").GET().build())) {
      return progress.watch(body).transferTo(to);
    }
  }

  /** A folder's contents as tar, as the sandbox sends them: hostile until unpacked with care. */
  public long getTar(Dataplane dataplane, String path, OutputStream to, Progress progress)
      throws IOException, InterruptedException {
    try (InputStream body =
        open(request(dataplane, "download", path, "&archive=tar").GET().build())) {
      return progress.watch(body).transferTo(to);
    }
  }

  /**
   * Puts the contents of {@code folder} into a folder inside, which is made where it is not there.
   *
   * @throws Failure when the folder cannot be read or the sandbox refuses
   */
  public Tally putFolder(Dataplane dataplane, Path folder, String path, Progress progress)
      throws InterruptedException {
    HttpRequest.Builder request =
        request(dataplane, "upload", path, "&extract=tar&parents=true")
            .header("Content-Type", "application/x-tar");
    try (PipedInputStream source = new PipedInputStream(PIPE)) {
      PipedOutputStream sink = new PipedOutputStream(source);
      CompletableFuture<Tally> packed = new CompletableFuture<>();
      Thread.ofPlatform().daemon().name("pack").start(() -> pack(folder, sink, packed));
      InputStream watched = progress.watch(source);
      HttpResponse<String> response =
          send(request.POST(BodyPublishers.ofInputStream(() -> watched)).build());
      check(response.statusCode(), response.body());
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
   * Brings the contents of a folder inside beneath {@code folder}, which is made where it is not
   * there.
   *
   * @throws Failure when the sandbox sends something unsafe or the folder cannot be written
   */
  public Tally getFolder(Dataplane dataplane, String path, Path folder, Progress progress)
      throws InterruptedException {
    HttpRequest request = request(dataplane, "download", path, "&archive=tar").GET().build();
    try (InputStream body = open(request)) {
      Files.createDirectories(folder);
      return new Unpacker(folder, MOST_BYTES, MOST_ENTRIES).unpack(progress.watch(body));
    } catch (IOException e) {
      throw Failure.sandboxer(
          "bringing files out to "
              + folder
              + " failed: "
              + reason(e)
              + "; what came before is there",
          e);
    }
  }

  private static HttpRequest.Builder request(
      Dataplane dataplane, String route, String path, String more) throws InterruptedException {
    Dataplane.Access access = dataplane.access();
    String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8);
    return HttpRequest.newBuilder(
            URI.create(access.http() + "/files/" + route + "?path=" + encoded + more))
        .header("Authorization", "Bearer " + access.token());
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.of(request.uri()).send(request, Replies.text());
  }

  private InputStream open(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        http.of(request.uri()).send(request, BodyHandlers.ofInputStream());
    InputStream body = response.body();
    if (response.statusCode() != OK) {
      try (body) {
        check(response.statusCode(), new String(body.readNBytes(PIPE), StandardCharsets.UTF_8));
      }
    }
    return body;
  }

  private void check(int status, String body) {
    if (status < FIRST_ERROR) {
      return;
    }
    JsonNode error = error(body);
    String code = error.path("code").asText("");
    String message = error.path("message").asText("it answered " + status);
    throw new FilesRefused(
        code, "the sandbox refused: " + message + (code.isEmpty() ? "" : " (" + code + ")"));
  }

  private JsonNode error(String body) {
    try {
      return json.readTree(body).path("error");
    } catch (IOException e) {
      return json.missingNode();
    }
  }

  /** The client's own words for a connection that ended too early say nothing to a person. */
  private static String reason(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.equals("closed") || message.startsWith("chunked transfer encoding")
        ? "the sandbox broke off, as it does at a file that it cannot read to its end"
        : message;
  }

  private static Failure lost(IOException e) {
    return Failure.sandboxer("the connection to the sandbox was lost: " + e.getMessage(), e);
  }

  private static String cause(CompletionException e) {
    return e.getCause() == null
        ? String.valueOf(e.getMessage())
        : String.valueOf(e.getCause().getMessage());
  }
}
