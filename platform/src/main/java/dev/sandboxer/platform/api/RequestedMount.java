package dev.sandboxer.platform.api;

import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * A mount as {@link MountFields} reads it, for the OpenAPI document.
 *
 * @param hostPath folder of the host
 * @param volume name of a volume
 * @param tmpfs size of a file system in memory
 * @param mountPath where it appears inside
 * @param mode of a folder or a volume
 * @param contentDigest of what a folder holds
 * @param delivery of a folder
 * @param syncInterval of a copy
 */
@Schema(
    name = "RequestedMount",
    description = "Either host_path, volume or tmpfs.",
    requiredProperties = "mount_path")
public record RequestedMount(
    @Schema(
            description =
                "an absolute folder of the host, without links, below a root of the profile's"
                    + " caller_mounts",
            maxLength = 255,
            examples = "/srv/data")
        Optional<String> hostPath,
    @Schema(
            description = "the name of a volume of the tenant; see POST /v1/volumes",
            pattern = "[a-z0-9][a-z0-9-]{0,62}",
            examples = "cache")
        Optional<String> volume,
    @Schema(
            description = "size of a file system in memory; it counts as memory",
            pattern = "[1-9][0-9]{0,9}(Ki|Mi|Gi)",
            examples = "64Mi")
        Optional<String> tmpfs,
    @Schema(
            description =
                "where it appears inside; /workspace, or a folder that is not the sandbox's own, such as /data or"
                    + " /workspace/data",
            maxLength = 255,
            examples = "/data")
        String mountPath,
    @Schema(
            description = "of a folder or a volume; ro where absent",
            enumeration = {"ro", "rw"},
            examples = "ro")
        Optional<String> mode,
    @Schema(
            description =
                "what a read-only folder of the host must hold: the hash of its sha256-tree-v1"
                    + " manifest",
            pattern = "sha256:[0-9a-f]{64}",
            examples = "sha256:89ce16e5b076aaedb5c5c451295279047aa3c94904c8bd54ffa709ff81693ac7")
        Optional<String> contentDigest,
    @Schema(
            description =
                "copy: the folder is copied in, even where the backend could mount it, and what"
                    + " was changed comes back at the end if mode is rw; bind where absent: mounted,"
                    + " or copied where the backend shares no file system",
            enumeration = {"bind", "copy"},
            examples = "bind")
        Optional<String> delivery,
    @Schema(
            description =
                "how often a copy with mode rw is written back while the sandbox lives, 10s to 24h;"
                    + " where absent only at its end and by POST /v1/sandboxes/{id}/sync",
            examples = "5m")
        Optional<String> syncInterval) {}
