package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.token.KeyRotation;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/signing-keys}, for administrators. */
@Path("/v1/signing-keys")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "tokens")
public class SigningKeyResource {

  private final Caller caller;
  private final AuditedAction audited;
  private final KeyRotation rotation;

  SigningKeyResource(Caller caller, AuditedAction audited, KeyRotation rotation) {
    this.caller = caller;
    this.audited = audited;
    this.rotation = rotation;
  }

  @GET
  @Operation(
      operationId = "listSigningKeys",
      summary = "The keys of client tokens and where they stand in the rotation")
  public Page<KeyRotation.KeyStanding> list() {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(rotation.list());
  }

  @POST
  @Path("rotate")
  @Operation(
      operationId = "rotateSigningKeys",
      summary = "Publish a new key; it signs once every node has it",
      description = "Does nothing while a rotation is under way. No token ends by it.")
  public Page<KeyRotation.KeyStanding> rotate() {
    var _ = caller.require(Role.ADMIN);
    audited.is("signing_key.rotate");
    return Page.whole(rotation.begin());
  }
}
