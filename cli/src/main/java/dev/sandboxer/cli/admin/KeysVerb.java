package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** API keys. */
@Command(
    name = "keys",
    description = "List, create and delete API keys.",
    footer = {
      "",
      "keys reset-admin, a verb of the script, makes a new admin key on the platform's own machine."
    })
public final class KeysVerb extends Listing {
  private KeysVerb(Context context) {
    super(context, "/v1/keys", "id", "name", "role", "tenant", "created_at");
  }

  /** The verb with its own verbs; without one it lists. */
  public static CommandLine create(Context context) {
    return new CommandLine(new KeysVerb(context))
        .addSubcommand("list", new KeysVerb(context), "ls")
        .addSubcommand("create", new Create(context))
        .addSubcommand("delete", new Delete(context), "rm");
  }

  /** A new key, shown once. */
  @Command(name = "create", description = "Create a key; it is shown once.")
  static final class Create extends Verb {
    @Parameters(paramLabel = "NAME", description = "What the key is called.")
    private String name = "";

    @Option(
        names = "--role",
        defaultValue = "consumer",
        description = "admin, operator or consumer (default: ${DEFAULT-VALUE}).")
    private String role = "consumer";

    @Option(names = "--tenant", description = "The tenant that it belongs to.")
    private @Nullable String tenant;

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      ObjectNode body = context().json().createObjectNode().put("name", name).put("role", role);
      if (tenant != null) {
        body.put("tenant", tenant);
      }
      JsonNode made = context().api().post("/v1/keys", body, Map.of()).body();
      if (json()) {
        print(made);
      } else {
        context()
            .console()
            .tell(made.path("id").asText() + " (keep the key: it is not shown again)");
        context().console().result(made.path("key").asText());
      }
      return ExitCode.OK;
    }
  }

  /** Ends a key. */
  @Command(name = "delete", description = "Delete a key; it stops working at once.")
  static final class Delete extends Verb {
    @Parameters(paramLabel = "KEY_ID", description = "The key's id, such as key_...")
    private String id = "";

    Delete(Context context) {
      super(context);
    }

    @Override
    public Integer call() throws InterruptedException {
      if (!id.matches("key_[A-Za-z0-9]{1,64}")) {
        throw Failure.usage(
            "\""
                + id.replaceAll("(?<=sbxk_.{4}).*", "...")
                + "\" is no key's id: they look like key_...; see sandboxer keys");
      }
      JsonNode ended = context().api().delete("/v1/keys/" + id);
      if (json()) {
        print(ended);
      } else {
        context().console().result(id + " deleted");
      }
      return ExitCode.OK;
    }
  }
}
