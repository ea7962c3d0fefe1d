package dev.sandboxer.platform.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The fields that {@link RoutingFields} reads as the OpenAPI document shows them. */
public final class RoutingSchemas {

  private static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

  private RoutingSchemas() {}

  /** Where a sandbox may run. */
  @Schema(name = "RequestedRouting", description = "Every field is optional.")
  public record Requested(
      @Schema(description = "the profile's if left out", pattern = NAME, examples = "explicit")
          Optional<String> strategy,
      @Schema(
              description =
                  "some of the profile's, in the order to try them; an extension's id is short for"
                      + " an object that names only it; all if left out",
              maxItems = 16)
          Optional<List<Candidate>> candidates,
      @Schema(description = "what the place must have beside what the profile requires")
          Optional<Require> require,
      @Schema(
              description =
                  "at most 16 labels of the host that decide between equally good places; the"
                      + " profile's if left out")
          Optional<Map<String, String>> prefer) {}

  /** A backend that may be used. */
  @Schema(name = "RequestedCandidate", requiredProperties = "extension")
  public record Candidate(
      @Schema(pattern = "ext\\.[a-z0-9][a-z0-9-]{0,39}", examples = "ext.docker") String extension,
      @Schema(description = "the only host; all of the extension if left out", pattern = NAME)
          Optional<String> host) {}

  /** What a place must have. */
  @Schema(name = "RequiredPlace", description = "Every field is optional.")
  public record Require(
      @Schema(description = "of the host", pattern = NAME, examples = "eu-west")
          Optional<String> region,
      @Schema(description = "of its processors", pattern = "[a-z0-9_]{1,20}", examples = "amd64")
          Optional<String> arch,
      @Schema(
              description = "what outlives a sandbox's end, at least that",
              enumeration = {"none", "volumes", "snapshots"})
          Optional<String> persistence,
      @Schema(
              description = "machines of the operator, or a provider's",
              enumeration = {"self_hosted", "saas"})
          Optional<String> hosting,
      @Schema(
              description =
                  "at most 16 labels of the host: names of 1 to 63 of A-Za-z0-9._/-, texts of up to"
                      + " 256 characters")
          Optional<Map<String, String>> labels) {}

  /** A bound on the cost. */
  @Schema(
      name = "MaxCost",
      requiredProperties = {"amount", "currency"})
  public record MaxCost(
      @Schema(
              description = "a decimal text, not negative",
              pattern = "[0-9]{1,12}(\\.[0-9]{1,12})?",
              examples = "0.50")
          String amount,
      @Schema(description = "ISO 4217", pattern = "[A-Z]{3}", examples = "EUR") String currency) {}
}
