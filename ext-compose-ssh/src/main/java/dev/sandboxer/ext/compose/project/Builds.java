package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.spi.ExtensionException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Reads what the services of a project are built from. */
final class Builds {

  /** Compose takes a value that the file does not give from the environment it runs in. */
  private static final Set<String> OF_THE_MACHINE =
      Set.of("HOME", "PATH", "PWD", "LC_ALL", "DOCKER_HOST");

  private static final int MOST_BYTES = 64 << 10;

  private final ProjectFiles files;
  private final Places places;
  private final Images images;
  private final Path folder;
  private final Map<String, String> labels;

  Builds(
      ProjectFiles files, Places places, Images images, String folder, Map<String, String> labels) {
    this.files = files;
    this.places = places;
    this.images = images;
    this.folder = Path.of(folder);
    this.labels = labels;
  }

  /**
   * Reads all, and puts a mark for the image, which has no id yet, into each service that uses it.
   *
   * @return the builds by these marks
   */
  Map<String, Build> of(JsonNode services) throws ExtensionException {
    Map<String, Build> builds = new TreeMap<>();
    Map<String, String> named = new HashMap<>();
    for (Map.Entry<String, JsonNode> one : services.properties()) {
      if (one.getValue().has("build")) {
        ObjectNode service = (ObjectNode) one.getValue();
        // No image has such a name.
        String mark = "build " + one.getKey();
        builds.put(mark, read(one.getKey(), service.path("build")));
        if (service.has("image")) {
          named.put(service.path("image").asText(), mark);
        }
        service.put("image", mark).remove("build");
      }
    }
    for (JsonNode service : services) {
      String image = service.path("image").asText();
      ((ObjectNode) service).put("image", named.getOrDefault(image, image));
    }
    return builds;
  }

  private Build read(String service, JsonNode build) throws ExtensionException {
    List<String> at = List.of("services", service, "build");
    Path context = inside(Refusals.with(at, "context"), folder, text(build.path("context")));
    Map<String, String> args = new TreeMap<>();
    for (Map.Entry<String, JsonNode> one : build.path("args").properties()) {
      if (OF_THE_MACHINE.contains(one.getKey())) {
        throw places.refused(
            Refusals.with(at, "args"), one.getKey() + " would be the machine's own");
      }
      if (!one.getValue().isNull()) {
        args.put(one.getKey(), text(one.getValue()));
      }
    }
    String name;
    Optional<String> content;
    List<String> key;
    if (build.has("dockerfile_inline")) {
      key = Refusals.with(at, "dockerfile_inline");
      name = String.join(".", key);
      content = Optional.of(text(build.path("dockerfile_inline")));
    } else {
      key = Refusals.with(at, "dockerfile");
      Path file = inside(key, context, text(build.path("dockerfile")));
      name = folder.relativize(file).toString();
      content = files.text(name);
    }
    if (content.isEmpty() || content.get().length() > MOST_BYTES) {
      throw places.refused(
          key, "the project has no file '%s' of at most %d KiB".formatted(name, MOST_BYTES >> 10));
    }
    Dockerfile dockerfile = new Dockerfile(name, images, args);
    dockerfile.read(content.get());
    String target = text(build.path("target"));
    if (!dockerfile.has(target)) {
      throw places.refused(
          Refusals.with(at, "target"), "%s has no stage '%s'".formatted(name, target));
    }
    return new Build(
        service,
        context.toString(),
        args,
        dockerfile.written(target, labels),
        dockerfile.bases(target));
  }

  /** Compose writes each $ as $$, because its output is the input of another Compose. */
  private static String text(JsonNode value) {
    return value.asText().replace("$$", "$");
  }

  private Path inside(List<String> at, Path from, String text) throws ExtensionException {
    Path place = from.resolve(text).normalize();
    if (!place.startsWith(folder) || text.contains("://")) {
      throw places.refused(at, text + " is outside of the project");
    }
    return place;
  }
}
