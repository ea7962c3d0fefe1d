package dev.sandboxer.platform.api.host;

import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The bodies of the host routes as the OpenAPI document shows them. */
final class HostRequests {

  private static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";
  private static final String ADDRESS = "how the extension reaches it, without spaces";
  private static final String LABELS =
      "for routing, at most 64: names of 1 to 63 of A-Za-z0-9._/-, texts of up to 256 characters";
  private static final String SETTINGS = "as the extension's schema for hosts says";
  private static final String CREDENTIALS =
      "at most 64: names of a-z, digits and underscores; references env:NAME or file:/PATH of up to 1024"
          + " characters";
  private static final String CAPACITY = "what it takes at most; any number where left out";

  private HostRequests() {}

  /** A registration. */
  @Schema(
      name = "NewHost",
      requiredProperties = {"name", "extension"})
  record NewHost(
      @Schema(pattern = NAME, examples = "engine-2") String name,
      @Schema(
              description = "whose place it is",
              pattern = "ext\\.[a-z0-9][a-z0-9-]{0,39}",
              examples = "ext.docker")
          String extension,
      @Schema(description = ADDRESS + "; local if left out", maxLength = 512)
          Optional<String> address,
      @Schema(
              description =
                  "the node that alone reaches it, where the extension is bound to nodes; the one"
                      + " that is asked if left out",
              pattern = NAME)
          Optional<String> node,
      @Schema(description = "unknown if left out", pattern = NAME) Optional<String> region,
      @Schema(description = LABELS) Optional<Map<String, String>> labels,
      @Schema(description = SETTINGS) Optional<Map<String, Object>> settings,
      @Schema(description = CREDENTIALS) Optional<Map<String, String>> credentials,
      @Schema(description = CAPACITY) Optional<HostView.CapacityView> capacity) {}

  /** A change. */
  @Schema(
      name = "HostChange",
      description = "Every field is optional; one that is left out stays as it is.")
  record Change(
      @Schema(description = ADDRESS, maxLength = 512) Optional<String> address,
      @Schema(description = "null takes it away", pattern = NAME) Optional<String> region,
      @Schema(description = LABELS) Optional<Map<String, String>> labels,
      @Schema(description = SETTINGS) Optional<Map<String, Object>> settings,
      @Schema(description = CREDENTIALS) Optional<Map<String, String>> credentials,
      @Schema(description = CAPACITY) Optional<HostView.CapacityView> capacity) {}

  /** How a host is emptied. */
  @Schema(name = "DrainHost")
  record Drain(
      @Schema(
              description =
                  "keep: what runs there goes on until it ends by itself; end: it ends with the"
                      + " reason drained; recreate: it is established elsewhere as the next"
                      + " generation, and what no other host takes goes on; keep if left out",
              enumeration = {"keep", "end", "recreate"})
          Optional<String> running) {}
}
