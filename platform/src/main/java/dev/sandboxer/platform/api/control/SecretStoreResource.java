package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.secret.SecretStoreStatus;
import dev.sandboxer.platform.secret.SecretStores;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/secret-stores}: where secrets are read, for administrators. */
@Path("/v1/secret-stores")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "operations")
public class SecretStoreResource {

  private final Caller caller;
  private final SecretStores stores;

  SecretStoreResource(Caller caller, SecretStores stores) {
    this.caller = caller;
    this.stores = stores;
  }

  @GET
  @Operation(
      operationId = "listSecretStores",
      summary = "Whether the stores of secrets answer",
      description =
          "Those that this node has beside env and file, with their state: up, away if it cannot be"
              + " asked now, or failed if it was not loaded; error says why. Each is asked at most"
              + " every five seconds. No secret is read.")
  public Page<SecretStoreStatus> list() {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(stores.status());
  }
}
