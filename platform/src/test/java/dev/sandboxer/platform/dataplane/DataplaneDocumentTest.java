package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sandboxer.platform.token.Capability;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The document has every route of the relay with its methods and capability, and no other. */
class DataplaneDocumentTest {

  private static final String BASE = "/dp/{id}";

  /** Routes with parts that vary, in the document's words. */
  private static final Map<String, String> VARIED =
      Map.of("{process}", "server", "{name}", "search", "{port}", "8080", "{path}", "api/items");

  private static final List<String> PROCESS =
      List.of("", "/signal", "/stdin", "/output", "/attach");

  private final Map<String, JsonNode> documented = new TreeMap<>();

  DataplaneDocumentTest() throws IOException {
    try (InputStream stream =
        Objects.requireNonNull(getClass().getResourceAsStream("/META-INF/openapi.yaml"))) {
      for (Map.Entry<String, JsonNode> path :
          new ObjectMapper(new YAMLFactory()).readTree(stream).path("paths").properties()) {
        if (path.getKey().startsWith(BASE)) {
          documented.put(path.getKey().substring(BASE.length()), path.getValue());
        }
      }
    }
  }

  @Test
  void everyRouteIsThere() {
    Set<String> routes = new TreeSet<>();
    DataplaneRoute.exact().forEach(route -> routes.add(route.path()));
    PROCESS.forEach(part -> routes.add("/v1/processes/{process}" + part));
    routes.add("/v1/mcp-servers/{name}");
    routes.add("/v1/mcp/{name}");
    routes.add("/v1/ports/{port}/{path}");
    assertThat(documented.keySet()).containsExactlyInAnyOrderElementsOf(routes);
  }

  @Test
  void eachTakesItsMethodsAndNamesItsCapability() {
    documented.forEach(
        (path, item) -> {
          DataplaneRoute route = DataplaneRoute.find(filled(path)).orElseThrow();
          Set<String> methods = new TreeSet<>();
          for (Map.Entry<String, JsonNode> operation : item.properties()) {
            if (!operation.getKey().equals("parameters")) {
              methods.add(operation.getKey().toUpperCase(Locale.ROOT));
              named(path, operation.getValue(), route.capability());
            }
          }
          assertThat(route.methods()).as(path).containsAll(methods);
          if (route.kind() != DataplaneRoute.Kind.PORT) {
            assertThat(methods).as(path).containsAll(withoutHead(route.methods()));
          }
        });
  }

  private static void named(String path, JsonNode operation, @Nullable Capability capability) {
    if (capability != null) {
      assertThat(operation.path("description").asText())
          .as(path)
          .contains("Capability " + capability.wireName() + ".");
    }
    assertThat(operation.path("security").toString()).as(path).contains("sandbox_token");
  }

  private static List<String> withoutHead(List<String> methods) {
    return methods.stream().filter(method -> !method.equals("HEAD")).toList();
  }

  private static String filled(String path) {
    String full = path;
    for (Map.Entry<String, String> part : VARIED.entrySet()) {
      full = full.replace(part.getKey(), part.getValue());
    }
    return full;
  }
}
