package dev.sandboxer.cli.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** The sandbox's files, packed and unpacked by the machine's own tar. */
final class StandInFiles {
  private StandInFiles() {}

  static void upload(Vertx vertx, HttpServerRequest request, Path workspace) {
    request
        .body()
        .onSuccess(
            body ->
                vertx
                    .executeBlocking(() -> extract(body, workspace))
                    .onSuccess(
                        status ->
                            StandIn.respond(request, status == 0 ? 200 : 400, new JsonObject())));
  }

  private static int extract(Buffer body, Path workspace) throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder("tar", "-xf", "-", "-C", workspace.toString())
            .inheritIO()
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .start();
    try (OutputStream in = tar.getOutputStream()) {
      in.write(body.getBytes());
    }
    return tar.waitFor();
  }

  static void download(Vertx vertx, HttpServerRequest request, Path workspace) {
    vertx
        .executeBlocking(
            () ->
                new ProcessBuilder("tar", "-cf", "-", "-C", workspace.toString(), ".")
                    .start()
                    .getInputStream()
                    .readAllBytes())
        .onSuccess(
            bytes ->
                request
                    .response()
                    .putHeader("Content-Type", "application/x-tar")
                    .end(Buffer.buffer(bytes)));
  }
}
