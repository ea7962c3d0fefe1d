package dev.sandboxer.cli.admin;

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
}
