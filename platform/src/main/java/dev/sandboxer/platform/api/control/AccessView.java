package dev.sandboxer.platform.api.control;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A grant: token and coordinates of one sandbox's dataplane. */
@Schema(name = "Access")
record AccessView(
    String sandboxId,
    String httpBaseUrl,
    String wsBaseUrl,
    String token,
    Instant expiresAt,
    List<String> grantedCapabilities,
    String protocolVersion) {}
