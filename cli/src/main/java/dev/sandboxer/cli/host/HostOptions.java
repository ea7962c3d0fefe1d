package dev.sandboxer.cli.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sandboxer.cli.ByteSize;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is said of a host when it is registered or changed. */
final class HostOptions {

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description =
          "How the extension reaches it; without it, what is added is on the platform's own machine.")
  @Nullable String address;

  @Option(names = "--region", paramLabel = "NAME", description = "Where it stands.")
  private @Nullable String region;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label for routing; may be repeated.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--setting",
      paramLabel = "K=V",
      description = "A setting of the extension, text or JSON; may be repeated.")
  private Map<String, String> settings = Map.of();

  @Option(
      names = "--credential",
      paramLabel = "K=REF",
      description = "A secret by reference, env:NAME or file:/PATH; may be repeated.")
  private Map<String, String> credentials = Map.of();

  @Option(names = "--sandboxes", paramLabel = "N", description = "How many it takes at most.")
  private @Nullable Integer sandboxes;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs of all its sandboxes at most.")
  private @Nullable BigDecimal cpus;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Memory of all its sandboxes at most, such as 16Gi.")
  private @Nullable ByteSize memory;

  /** Adds what was given; fields of objects are added to those that are there. */
  void into(ObjectNode body, ObjectMapper json) {
    put(body, "address", address);
    put(body, "region", region);
    labels.forEach((key, value) -> put(body, "labels", key, TextNode.valueOf(value)));
    credentials.forEach((key, value) -> put(body, "credentials", key, TextNode.valueOf(value)));
    settings.forEach((key, value) -> put(body, "settings", key, value(value, json)));
    ObjectNode capacity = json.createObjectNode();
    if (sandboxes != null) {
      capacity.put("sandboxes", sandboxes);
    }
    if (cpus != null) {
      capacity.put("cpus", cpus);
    }
    if (memory != null) {
      capacity.put("memory_bytes", memory.bytes());
    }
    capacity.properties().forEach(one -> put(body, "capacity", one.getKey(), one.getValue()));
  }

  private static void put(ObjectNode body, String object, String key, JsonNode value) {
    body.withObjectProperty(object).set(key, value);
  }

  private static void put(ObjectNode body, String field, @Nullable String value) {
    if (value != null) {
      body.put(field, value);
    }
  }

  /** What is no JSON is a text. */
  private static JsonNode value(String text, ObjectMapper json) {
    try {
      return text.isEmpty() ? TextNode.valueOf(text) : json.readTree(text);
    } catch (JsonProcessingException e) {
      return TextNode.valueOf(text);
    }
  }
}
