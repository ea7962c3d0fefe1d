package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A mount of a sandbox as callers see it: not where the host has its folder. */
@Schema(name = "SandboxMount")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record MountView(
    @Schema(examples = "/workspace/data") String mountPath,
    @Schema(description = "host_folder, volume or tmpfs", examples = "host_folder") String kind,
    @Schema(examples = "rw") String mode,
    @Schema(
            description =
                "of a folder of the host: bind, if the backend mounts it; copy, if it was copied in",
            enumeration = {"bind", "copy"},
            examples = "copy")
        Optional<String> delivery) {

  static MountView of(Mount mount, MountDelivery backend) {
    String mode = mount.writable() ? "rw" : "ro";
    return switch (mount) {
      case Mount.HostFolder folder ->
          new MountView(
              folder.mountPath(),
              "host_folder",
              mode,
              Optional.of(text(backend == MountDelivery.COPY ? backend : folder.delivery())));
      case Mount.Volume volume ->
          new MountView(volume.mountPath(), "volume", mode, Optional.empty());
      case Mount.Tmpfs tmpfs -> new MountView(tmpfs.mountPath(), "tmpfs", mode, Optional.empty());
    };
  }

  private static String text(MountDelivery delivery) {
    return delivery.name().toLowerCase(Locale.ROOT);
  }
}
