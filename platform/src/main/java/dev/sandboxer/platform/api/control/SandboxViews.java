package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.host.Fleet;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.MountDelivery;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sandboxes as callers see them. */
@ApplicationScoped
class SandboxViews {

  private final ExtensionRegistry registry;
  private final Fleet fleet;

  SandboxViews(ExtensionRegistry registry, Fleet fleet) {
    this.registry = registry;
    this.fleet = fleet;
  }

  SandboxView of(Sandbox sandbox) {
    return of(sandbox, null);
  }

  SandboxView of(Sandbox sandbox, @Nullable AccessView access) {
    return SandboxView.of(sandbox, mounts(sandbox), access);
  }

  private List<MountView> mounts(Sandbox sandbox) {
    MountDelivery backend =
        registry
            .descriptor(sandbox.extensionId().text())
            .map(can -> delivery(can, sandbox))
            .orElse(MountDelivery.BIND);
    return sandbox.spec().mounts().stream().map(mount -> MountView.of(mount, backend)).toList();
  }

  private MountDelivery delivery(ExtensionDescriptor can, Sandbox sandbox) {
    return fleet.hosts().stream()
        .filter(host -> host.ref().id().equals(sandbox.hostId()))
        .findFirst()
        .map(host -> can.mountDelivery(host.ref()))
        .orElseGet(can::mountDelivery);
  }
}
