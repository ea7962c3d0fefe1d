package dev.sandboxer.cli.admin;

import dev.sandboxer.cli.Context;
import picocli.CommandLine.Command;

/** The backends that the platform loaded, and those that it could not. */
@Command(name = "extensions", description = "List the extensions and whether each one loaded.")
public final class ExtensionsVerb extends Listing {
  public ExtensionsVerb(Context context) {
    super(context, "/v1/extensions", "id", "version", "state", "reason", "note");
  }
}
