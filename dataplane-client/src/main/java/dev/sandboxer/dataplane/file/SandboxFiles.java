package dev.sandboxer.dataplane.file;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.dataplane.BadAnswer;
import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneCalls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The files of a sandbox. Paths inside are absolute, or relative to its working directory. Each
 * call throws {@link CallRefused} when the sandbox refuses it (its code is {@code NOT_FOUND} where
 * nothing is there) and {@link ConnectionLost} when there was no answer. Safe for use by several
 * threads.
 */
public final class SandboxFiles {
  private static final int MOST_LISTED = 1_000_000;

  private final DataplaneCalls calls;

  /** Files of one sandbox. */
  public SandboxFiles(Dataplane dataplane) {
    this.calls = new DataplaneCalls(dataplane);
  }

  /**
   * Looks at one file, not through a link.
   *
   * @return empty where nothing is there
   */
  public Optional<InsideFile> stat(String path) throws InterruptedException {
    try {
      return Optional.of(InsideFile.of(calls.get(Routes.of("stat", path, ""))));
    } catch (CallRefused e) {
      if (e.code().equals("NOT_FOUND")) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Everything in a folder, in order.
   *
   * @param depth 1 for the folder alone, up to 64 with the folders in it
   * @throws BadAnswer when the sandbox lists more than a million
   */
  public List<InsideFile> list(String path, int depth) throws InterruptedException {
    List<InsideFile> files = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = calls.get(Routes.of("list", path, "&depth=" + depth + cursor));
      page.path("items").forEach(one -> files.add(InsideFile.of(one)));
      if (files.size() > MOST_LISTED) {
        throw new BadAnswer("the sandbox listed more than " + MOST_LISTED + " files", null);
      }
      String next = page.path("next_cursor").isTextual() ? page.path("next_cursor").asText() : "";
      boolean more = !next.isEmpty() && !page.path("items").isEmpty();
      cursor = more ? "&cursor=" + URLEncoder.encode(next, StandardCharsets.UTF_8) : "";
    } while (!cursor.isEmpty());
    return List.copyOf(files);
  }

  /**
   * Writes a file in one step: a failure leaves what was there.
   *
   * @param bytes are read to their end; the caller closes them
   * @param mode octal, such as {@code 0644}; empty keeps that of the file that is replaced
   */
  public void write(String path, InputStream bytes, String mode) throws InterruptedException {
    String more = mode.isEmpty() ? "" : "&mode=" + URLEncoder.encode(mode, StandardCharsets.UTF_8);
    var _ =
        calls.send(
            calls
                .request(Routes.of("upload", path, more))
                .header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofInputStream(() -> bytes))
                .build());
  }

  /**
   * Reads a file.
   *
   * @return how many bytes were written to {@code to}
   * @throws IOException when {@code to} cannot be written, or the connection broke after the answer
   *     began; a part was written then
   */
  public long read(String path, OutputStream to, Progress progress)
      throws IOException, InterruptedException {
    try (InputStream body =
        calls.open(calls.request(Routes.of("download", path, "")).GET().build())) {
      return progress.watch(body).transferTo(to);
    }
  }

  /**
   * Makes a folder and those above it; one that is there already is kept.
   *
   * @return the folder
   */
  public InsideFile makeFolder(String path) throws InterruptedException {
    return InsideFile.of(calls.post("/files/mkdir", body("path", path).put("parents", true)));
  }

  /**
   * Moves a file or folder.
   *
   * @param overwrite whether what is at the new place is replaced, instead of a refusal
   * @return what is at the new place now
   */
  public InsideFile move(String from, String to, boolean overwrite) throws InterruptedException {
    ObjectNode body = body("from", from).put("to", to).put("overwrite", overwrite);
    return InsideFile.of(calls.post("/files/move", body));
  }

  /**
   * Removes a file, link or folder. Links are not followed.
   *
   * @param recursive whether a folder is removed with all that is in it; else it must be empty
   */
  public void remove(String path, boolean recursive) throws InterruptedException {
    var _ = calls.post("/files/remove", body("path", path).put("recursive", recursive));
  }

  /**
   * Changes permissions.
   *
   * @param mode octal, up to {@code 0777}
   * @return the file
   */
  public InsideFile changeMode(String path, String mode) throws InterruptedException {
    return InsideFile.of(calls.post("/files/chmod", body("path", path).put("mode", mode)));
  }

  private static ObjectNode body(String field, String value) {
    return JsonNodeFactory.instance.objectNode().put(field, value);
  }
}
