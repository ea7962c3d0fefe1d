package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Workspace;
import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.Set;

/** Reads the context of a call: on behalf of which workspace, and by which placement of it. */
final class CallContext {

  /** The last three name a plugin's installation, which boxes have nothing to do with. */
  private static final Set<String> FIELDS =
      Set.of(
          "instance_uuid",
          "workspace_uuid",
          "placement_generation",
          "installation_uuid",
          "runtime_revision",
          "artifact_digest");

  private static final int LONGEST = 256;

  private CallContext() {}

  static Optional<Placement> read(Client client, JsonObject message) {
    if (message.getValue("context") == null) {
      return Optional.empty();
    }
    Fields fields = new Fields(message).object("context").only(FIELDS);
    if (!fields.word("instance_uuid").equals(client.instance())) {
      throw new BoxError(
          Kind.ADMISSION, "the context is of another instance than this connection's");
    }
    return Optional.of(
        of(client, fields.word("workspace_uuid"), fields.number("placement_generation", 1, 1)));
  }

  static Placement of(Client client, String workspace, long generation) {
    if (workspace.length() > LONGEST) {
      throw BoxError.invalid("workspace_uuid has more than %d characters".formatted(LONGEST));
    }
    return new Placement(
        new Workspace(client.principal().tenantId(), client.instance(), workspace), generation);
  }
}
