package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An image without a single file, for as long as it is needed. So nothing is asked of a registry.
 *
 * @param engine that has it
 * @param id by its content: imports at the same time give one image each
 */
record EmptyImage(Engine engine, String id) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] EMPTY_TAR = new byte[1024];
  private static final int OK = 200;

  static EmptyImage on(Engine engine) throws ExtensionException {
    return new EmptyImage(engine, engine.ask("import an empty image", _ -> imported(engine)));
  }

  void remove() throws ExtensionException {
    var _ =
        engine.find(
            "remove the empty image",
            docker -> {
              docker.removeImageCmd(id).exec();
              return true;
            });
  }

  private static String imported(Engine engine) throws ExtensionException {
    try (Response answer =
        engine.send(
            "POST",
            "/images/create?fromSrc=-&message=sandboxer-probe",
            Map.of("Content-Type", "application/x-tar"),
            EMPTY_TAR)) {
      String text = new String(answer.getBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode last = JSON.readTree(text.lines().reduce("{}", (_, line) -> line));
      String id = last.path("status").asText();
      if (answer.getStatusCode() != OK || !id.startsWith("sha256:")) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE,
            Outcome.NOTHING_CREATED,
            "the Docker Engine could not import an empty image: " + text.strip(),
            null);
      }
      return id;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
