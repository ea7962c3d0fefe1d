package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Workspace;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * One call of an action.
 *
 * @param client who calls
 * @param data of the call
 * @param placed the workspace that it is about, empty where none is named
 * @param cancellable ends with the call
 */
record ActionCall(
    Client client, JsonObject data, Optional<Placement> placed, Cancellable cancellable) {

  Fields fields() {
    return new Fields(data);
  }

  /** The workspace of a call that must be about one. */
  Placement placement() {
    return placed.orElseThrow(
        () ->
            new BoxError(
                BoxError.Kind.ADMISSION, "this action needs a context with a workspace_uuid"));
  }

  /** A workspace of this client. */
  Workspace workspace(String id) {
    return new Workspace(client.principal().tenantId(), client.instance(), id);
  }

  /** Whether a workspace without a grant may have nothing. */
  boolean admissionRequired() {
    return client.settings().admissionRequired();
  }
}
