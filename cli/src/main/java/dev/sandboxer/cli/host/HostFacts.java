package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A host as a person reads it. */
final class HostFacts {
  private static final double GI = 1024.0 * 1024 * 1024;
  private static final int NAMES = 13;

  private HostFacts() {}

  /** Checked, as it becomes part of a path. */
  static String name(String text) {
    if (!text.matches("[a-z0-9][a-z0-9-]{0,62}")) {
      throw Failure.usage(
          "\""
              + text
              + "\" is no host's name: lower case letters, digits, dashes; see sandboxer hosts");
    }
    return text;
  }

  static String[] row(JsonNode host) {
    JsonNode load = host.path("load");
    JsonNode most = host.path("capacity");
    return new String[] {
      host.path("name").asText(),
      host.path("extension").asText("any"),
      host.path("state").asText(),
      of(load.path("sandboxes").asText(), most.path("sandboxes")),
      of(load.path("cpus").decimalValue().stripTrailingZeros().toPlainString(), most.path("cpus")),
      memory(load, most),
      "%.0f %%".formatted(load.path("share").asDouble() * 100),
      host.path("region").asText("-")
    };
  }

  private static String of(String taken, JsonNode most) {
    return most.isNumber() ? taken + " of " + most.asText() : taken;
  }

  private static String memory(JsonNode load, JsonNode most) {
    String taken = gibi(load.path("memory_bytes"));
    JsonNode limit = most.path("memory_bytes");
    return (limit.isNumber() ? taken + " of " + gibi(limit) : taken) + " GiB";
  }

  private static String gibi(JsonNode bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes.asLong() / GI);
  }

  /** What does not work, a line each. */
  static List<String> troubles(JsonNode host) {
    List<String> troubles = new ArrayList<>();
    host.path("probe")
        .properties()
        .forEach(
            probe -> {
              if (!probe.getValue().path("usable").asBoolean()) {
                troubles.add(
                    "%s: %s cannot be used: %s"
                        .formatted(
                            host.path("name").asText(),
                            probe.getKey(),
                            probe.getValue().path("detail").asText()));
              }
            });
    return troubles;
  }

  static List<String> lines(JsonNode host) {
    String[] row = row(host);
    List<String> lines = new ArrayList<>();
    add(lines, "name", row[0]);
    add(lines, "state", row[2]);
    add(lines, "extension", row[1]);
    add(lines, "address", host.path("address").asText());
    add(lines, "node", host.path("node").asText("all"));
    add(lines, "region", row[7]);
    add(lines, "labels", pairs(host.path("labels")));
    add(lines, "settings", pairs(host.path("settings")));
    add(lines, "credentials", pairs(host.path("credentials")));
    add(lines, "sandboxes", row[3]);
    add(lines, "cpus", row[4]);
    add(lines, "memory", row[5]);
    add(lines, "load", row[6]);
    troubles(host).forEach(trouble -> add(lines, "trouble", trouble));
    return lines;
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(name + " ".repeat(NAMES - name.length()) + value);
  }

  private static String pairs(JsonNode values) {
    String text =
        StreamSupport.stream(values.properties().spliterator(), false)
            .map(one -> one.getKey() + "=" + one.getValue().asText(one.getValue().toString()))
            .collect(Collectors.joining(" "));
    return text.isEmpty() ? "-" : text;
  }
}
