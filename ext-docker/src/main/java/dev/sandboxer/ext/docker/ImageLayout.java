package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Refuses images in which a path that is mounted over is a link or a file: the mount would land
 * somewhere else. Looked at once an image, in its made and not yet started container.
 */
final class ImageLayout {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long GO_DIRECTORY = 1L << 31;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int REMEMBERED = 10_000;
  private static final List<String> FIXED =
      List.of("/dev", "/proc", "/sys", Inside.TMP, Inside.WORKSPACE, Inside.FOLDER);

  private final Set<String> good =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > REMEMBERED;
                }
              }));

  void check(Engine engine, String container, Image image, Set<String> targets)
      throws ExtensionException {
    Set<String> paths = new LinkedHashSet<>(FIXED);
    for (String target : targets) {
      for (Path path = Path.of(target);
          path != null && path.getNameCount() > 0;
          path = path.getParent()) {
        paths.add(path.toString());
      }
    }
    for (String path : paths) {
      String key = engine.name() + " " + image.id() + " " + path;
      if (!good.contains(key)) {
        check(engine, container, image, path);
        good.add(key);
      }
    }
  }

  private static void check(Engine engine, String container, Image image, String path)
      throws ExtensionException {
    JsonNode found =
        engine.ask(
            "look at " + path + " of image " + image.name(), _ -> stat(engine, container, path));
    if (found.isMissingNode() || (found.path("mode").asLong() & GO_DIRECTORY) != 0) {
      return;
    }
    String link = found.path("linkTarget").asText("");
    throw new ExtensionException(
        ErrorCode.VALIDATION,
        "image %s has %s as a %s: it must be a folder, or not be there"
            .formatted(image.name(), path, link.isEmpty() ? "file" : "link to " + shown(link)));
  }

  static JsonNode stat(Engine engine, String container, String path) throws ExtensionException {
    String query = URLEncoder.encode(path, StandardCharsets.UTF_8);
    try (Response answer =
        engine.send(
            "HEAD", "/containers/" + container + "/archive?path=" + query, Map.of(), null)) {
      if (answer.getStatusCode() == NOT_FOUND) {
        return JSON.missingNode();
      }
      String header = answer.getHeader("X-Docker-Container-Path-Stat");
      if (answer.getStatusCode() != OK || header == null) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE,
            Outcome.NOTHING_CREATED,
            "the Docker Engine could not look into the image: status " + answer.getStatusCode(),
            null);
      }
      return JSON.readTree(Base64.getDecoder().decode(header));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, "the answer cannot be read: " + e, e);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String shown(String link) {
    String clean = link.replaceAll("\\p{Cntrl}", "?");
    return clean.substring(0, Math.min(clean.length(), 100));
  }
}
