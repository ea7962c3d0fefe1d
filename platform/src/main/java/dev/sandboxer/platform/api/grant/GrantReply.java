package dev.sandboxer.platform.api.grant;

import dev.sandboxer.platform.boot.PublicAddress;
import dev.sandboxer.platform.session.Granted;
import dev.sandboxer.platform.token.Capability;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A grant: token and coordinates of one sandbox. */
@Schema(
    name = "SandboxGrant",
    requiredProperties = {
      "sandbox_id",
      "token",
      "ws_url",
      "http_url",
      "expires_at",
      "scopes",
      "refresh_url",
      "protocol_version",
      "session_id",
      "state",
      "warnings"
    })
record GrantReply(
    @Schema(examples = "sb_k3v9a0q7x2m5n8b1c4d6") String sandboxId,
    @Schema(description = "for this sandbox alone; never put it into a URL") String token,
    String wsUrl,
    String httpUrl,
    Instant expiresAt,
    @Schema(
            description =
                "all that the token may do: fs:read, fs:write, shell:exec (or shell or exec alone),"
                    + " process, port")
        List<String> scopes,
    @Schema(examples = "/sandbox/refresh") String refreshUrl,
    @Schema(examples = "1.0") String protocolVersion,
    @Schema(examples = "ssn_k3v9a0q7x2m5n8b1c4d6") String sessionId,
    @Schema(enumeration = {"Provisioning", "Active", "Idle", "Terminating", "Gone"}) String state,
    @Schema(description = "what of the request was ignored") List<String> warnings) {

  private static final String REFRESH_URL = "/sandbox/refresh";
  private static final String PROTOCOL_VERSION = "1.0";

  static GrantReply of(Granted granted, PublicAddress.Coordinates coordinates) {
    return new GrantReply(
        granted.session().sandbox().publicId(),
        granted.token().value(),
        coordinates.webSocket(),
        coordinates.http(),
        granted.token().expiresAt(),
        scopes(granted.capabilities()),
        REFRESH_URL,
        PROTOCOL_VERSION,
        granted.session().id(),
        granted.session().phase().grant(),
        granted.warnings());
  }

  /** Never less than the token may do; shell:exec stands for both of its parts. */
  private static List<String> scopes(Set<Capability> capabilities) {
    List<String> scopes = new ArrayList<>();
    if (capabilities.contains(Capability.FS_READ)) {
      scopes.add("fs:read");
    }
    if (capabilities.contains(Capability.FS_WRITE)) {
      scopes.add("fs:write");
    }
    if (capabilities.contains(Capability.SHELL) && capabilities.contains(Capability.EXEC)) {
      scopes.add("shell:exec");
    } else {
      named(scopes, capabilities, Capability.SHELL, Capability.EXEC);
    }
    named(scopes, capabilities, Capability.PROCESS, Capability.PORT);
    return scopes;
  }

  private static void named(
      List<String> scopes, Set<Capability> granted, Capability... capabilities) {
    for (Capability capability : capabilities) {
      if (granted.contains(capability)) {
        scopes.add(capability.wireName());
      }
    }
  }
}
