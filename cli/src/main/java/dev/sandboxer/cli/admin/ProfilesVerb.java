package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import picocli.CommandLine.Command;

/** The recipes that the platform knows. */
@Command(name = "profiles", description = "List the profiles.")
public final class ProfilesVerb extends Listing {
  public ProfilesVerb(Context context) {
    super(
        context,
        "/v1/profiles",
        "id",
        "profile/version",
        "profile/extension",
        "profile/description");
  }

  @Override
  void remark(JsonNode item) {
    JsonNode error = item.path("error");
    if (error.isObject()) {
      String field = error.path("field").asText();
      context()
          .console()
          .error(
              "%s:%d: %s%s%s"
                  .formatted(
                      error.path("file").asText(),
                      error.path("line").asInt(),
                      field.isEmpty() ? "" : field + ": ",
                      error.path("message").asText(),
                      item.path("profile").isObject() ? " (the version before stays in use)" : ""));
    }
  }
}
