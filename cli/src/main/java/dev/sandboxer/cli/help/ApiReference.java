package dev.sandboxer.cli.help;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every route of the API, from the OpenAPI document of a platform. */
final class ApiReference {
  private static final String SCHEMAS = "#/components/schemas/";

  private final JsonNode document;
  private final Markdown page = new Markdown();

  ApiReference(JsonNode document) {
    this.document = document;
  }

  String page() {
    page.heading(1, "HTTP API: reference")
        .paragraph(
            "Made by `./sandboxer reference --api > docs/reference/api.md` from the platform's own"
                + " `GET /v1/openapi`; a test compares it. [api.md](../api.md) explains how the"
                + " calls work together.")
        .paragraph(document.path("info").path("description").asText());
    groups().forEach(this::group);
    page.heading(2, "Schemas");
    document.path("components").path("schemas").properties().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(schema -> schema(schema.getKey(), schema.getValue()));
    return page.text();
  }

  /** An operation with its route. */
  private record Route(String method, String path, JsonNode shared, JsonNode operation) {
    String title() {
      return method.toUpperCase(java.util.Locale.ROOT) + " " + path;
    }
  }

  private Map<String, List<Route>> groups() {
    Map<String, List<Route>> groups = new TreeMap<>();
    for (Map.Entry<String, JsonNode> path :
        new TreeMap<>(byName(document.path("paths"))).entrySet()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        if (!method.getKey().equals("parameters")) {
          Route route =
              new Route(
                  method.getKey(),
                  path.getKey(),
                  path.getValue().path("parameters"),
                  method.getValue());
          groups
              .computeIfAbsent(
                  method.getValue().path("tags").path(0).asText("other"), _ -> new ArrayList<>())
              .add(route);
        }
      }
    }
    return groups;
  }

  private static Map<String, JsonNode> byName(JsonNode object) {
    Map<String, JsonNode> members = new TreeMap<>();
    object.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
    return members;
  }

  private void group(String tag, List<Route> routes) {
    page.heading(2, tag.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + tag.substring(1));
    routes.forEach(this::route);
  }

  private void route(Route route) {
    JsonNode operation = route.operation();
    page.heading(3, Markdown.quoted(route.title()))
        .paragraph(operation.path("summary").asText() + ".")
        .paragraph(operation.path("description").asText());
    List<List<String>> parameters = new ArrayList<>();
    route.shared().forEach(parameter -> parameters.add(parameter(resolved(parameter))));
    operation
        .path("parameters")
        .forEach(parameter -> parameters.add(parameter(resolved(parameter))));
    page.table(List.of("parameter", "in", "type", ""), parameters);
    body(operation.path("requestBody").path("content"));
    page.table(List.of("reply", "", "body"), replies(operation));
  }

  private JsonNode resolved(JsonNode node) {
    String reference = node.path("$ref").asText("");
    return reference.startsWith("#/") ? document.at(reference.substring(1)) : node;
  }

  private static List<String> parameter(JsonNode parameter) {
    return List.of(
        Markdown.quoted(parameter.path("name").asText()),
        parameter.path("in").asText(),
        type(parameter.path("schema")),
        (parameter.path("required").asBoolean() ? "required. " : "")
            + parameter.path("description").asText());
  }

  private void body(JsonNode content) {
    for (Map.Entry<String, JsonNode> media : content.properties()) {
      JsonNode schema = media.getValue().path("schema");
      page.paragraph(
          "Body, `"
              + media.getKey()
              + "`: "
              + orElse(type(schema), "anything")
              + "."
              + " For example:");
      page.code(media.getKey().endsWith("json") ? "json" : "text", example(media.getValue()));
    }
  }

  private static String example(JsonNode media) {
    JsonNode example = media.path("example");
    if (example.isMissingNode() && media.path("examples").elements().hasNext()) {
      example = media.path("examples").elements().next().path("value");
    }
    try {
      return example.isTextual()
          ? example.asText()
          : new ObjectMapper().writeValueAsString(example);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException("what was parsed can be written", e);
    }
  }

  private static List<List<String>> replies(JsonNode operation) {
    List<List<String>> rows = new ArrayList<>();
    for (Map.Entry<String, JsonNode> reply : byName(operation.path("responses")).entrySet()) {
      List<String> bodies = new ArrayList<>();
      reply
          .getValue()
          .path("content")
          .properties()
          .forEach(
              media -> bodies.add(orElse(type(media.getValue().path("schema")), media.getKey())));
      rows.add(
          List.of(
              Markdown.quoted(reply.getKey()),
              reply.getValue().path("description").asText(),
              String.join(", ", bodies)));
    }
    return rows;
  }

  private void schema(String name, JsonNode schema) {
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(field -> required.add(field.asText()));
    List<List<String>> rows = new ArrayList<>();
    schema
        .path("properties")
        .properties()
        .forEach(
            field ->
                rows.add(
                    List.of(
                        Markdown.quoted(field.getKey()),
                        type(field.getValue()),
                        required.contains(field.getKey()) ? "yes" : "",
                        field.getValue().path("description").asText() + limits(field.getValue()))));
    page.heading(3, name).paragraph(schema.path("description").asText());
    if (rows.isEmpty()) {
      page.paragraph(orElse(type(schema), "object") + values(schema));
    }
    page.table(List.of("field", "type", "required", ""), rows);
  }

  private static String values(JsonNode schema) {
    List<String> values = new ArrayList<>();
    schema.path("enum").forEach(value -> values.add(Markdown.quoted(value.asText())));
    return values.isEmpty() ? "" : ": " + String.join(", ", values);
  }

  /** What a value must be beyond its type, such as {@code ; 1 to 64}. */
  private static String limits(JsonNode schema) {
    List<String> limits = new ArrayList<>();
    String values = values(schema);
    if (!values.isEmpty()) {
      limits.add("one of" + values.substring(1));
    }
    if (schema.has("minimum") || schema.has("maximum")) {
      limits.add(range(schema.path("minimum"), schema.path("maximum")));
    }
    if (schema.has("pattern")) {
      limits.add("as " + Markdown.quoted(schema.path("pattern").asText()));
    }
    if (schema.has("maxLength")) {
      limits.add("at most " + schema.path("maxLength").asText() + " characters");
    }
    if (schema.has("maxItems")) {
      limits.add("at most " + schema.path("maxItems").asText());
    }
    String text = String.join("; ", limits);
    return text.isEmpty() || schema.path("description").asText().isEmpty() ? text : "; " + text;
  }

  private static String range(JsonNode least, JsonNode most) {
    if (most.isMissingNode()) {
      return "at least " + least.asText();
    }
    return least.isMissingNode()
        ? "at most " + most.asText()
        : least.asText() + " to " + most.asText();
  }

  /** A type in words: a link for a schema, {@code string}, {@code array of integer}. */
  private static String type(JsonNode schema) {
    String reference = schema.path("$ref").asText("");
    if (reference.startsWith(SCHEMAS)) {
      String name = reference.substring(SCHEMAS.length());
      return "[%s](#%s)".formatted(name, name.toLowerCase(java.util.Locale.ROOT));
    }
    if (schema.has("items")) {
      return "array of " + type(schema.path("items"));
    }
    for (String choice : new String[] {"oneOf", "anyOf"}) {
      if (schema.has(choice)) {
        return joined(schema.path(choice));
      }
    }
    if (schema.path("type").isArray()) {
      List<String> types = new ArrayList<>();
      schema.path("type").forEach(one -> types.add(one.asText()));
      return String.join(" or ", types);
    }
    String format = schema.path("format").asText("");
    return schema.path("type").asText("") + (format.isEmpty() ? "" : " (" + format + ")");
  }

  private static String joined(JsonNode choices) {
    List<String> types = new ArrayList<>();
    choices.forEach(choice -> types.add(type(choice)));
    return String.join(" or ", types);
  }

  private static String orElse(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }
}
