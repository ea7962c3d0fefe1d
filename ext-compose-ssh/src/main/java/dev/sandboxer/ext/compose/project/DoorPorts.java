package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.ExtensionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * By which numbers ports of services are reached through the platform: those that the file would
 * publish, and those that the profile names.
 */
final class DoorPorts {

  private static final String NUMBER = "[1-9][0-9]{0,4}";
  private static final int LAST = 65_535;

  private final Places places;
  private final ProjectOptions options;
  private final Map<Integer, String> addresses = new TreeMap<>();

  DoorPorts(Places places, ProjectOptions options) {
    this.places = places;
    this.options = options;
  }

  /** For boxd's command line. */
  List<String> arguments(JsonNode services) throws ExtensionException {
    for (Map.Entry<String, JsonNode> service : services.properties()) {
      for (JsonNode port : service.getValue().path("ports")) {
        if (port.path("protocol").asText("tcp").equals("tcp")) {
          published(service.getKey(), port);
        }
      }
    }
    for (Map.Entry<String, String> one : options.ports().entrySet()) {
      String[] parts = one.getValue().split(":", 2);
      if (!services.has(parts[0])) {
        throw ProjectOptions.wrong(
            "options.ports.%s: the project has no service '%s'".formatted(one.getKey(), parts[0]));
      }
      String target = parts.length > 1 ? parts[1] : one.getKey();
      if (Math.max(Integer.parseInt(one.getKey()), Integer.parseInt(target)) > LAST) {
        throw ProjectOptions.wrong(
            "options.ports.%s: the last port is 65535".formatted(one.getKey()));
      }
      addresses.put(Integer.valueOf(one.getKey()), address(parts[0], target));
    }
    List<String> arguments = new ArrayList<>();
    addresses.forEach(
        (number, address) -> {
          // There it is already.
          if (!address.equals("localhost:" + number)) {
            arguments.addAll(List.of("--port", number + "=" + address));
          }
        });
    return arguments;
  }

  private void published(String service, JsonNode port) throws ExtensionException {
    String target = port.path("target").asText();
    String number = port.path("published").asText();
    String address = address(service, target);
    String other =
        addresses.putIfAbsent(Integer.valueOf(number.matches(NUMBER) ? number : target), address);
    if (other != null && !other.equals(address) && port.has("published")) {
      throw places.refused(
          List.of("services", service, "ports"), "%s is %s already".formatted(number, other));
    }
  }

  private String address(String service, String port) {
    return (service.equals(options.service()) ? "localhost" : service) + ":" + port;
  }
}
