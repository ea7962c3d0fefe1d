package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Tenants: owners of keys and sandboxes. */
@Command(name = "tenants", description = "List and create tenants.")
public final class TenantsVerb extends Listing {
  private TenantsVerb(Context context) {
    super(context, "/v1/tenants", "id", "name", "created_at");
  }

  /** The verb with its own verbs; without one it lists. */
  public static CommandLine create(Context context) {
    return new CommandLine(new TenantsVerb(context))
        .addSubcommand("list", new TenantsVerb(context), "ls")
        .addSubcommand("create", new Create(context));
  }

  /** A new tenant. */
  @Command(name = "create", description = "Create a tenant.")
  static final class Create extends Verb {
    @Parameters(paramLabel = "NAME", description = "What the tenant is called.")
    private String name = "";

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      JsonNode made =
          context()
              .api()
              .post("/v1/tenants", context().json().createObjectNode().put("name", name), Map.of())
              .body();
      if (json()) {
        print(made);
      } else {
        context().console().result(made.path("id").asText());
      }
      return ExitCode.OK;
    }
  }
}
