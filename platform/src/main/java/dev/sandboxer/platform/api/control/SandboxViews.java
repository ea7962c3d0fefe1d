package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.extension.ExtensionRegistry;
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

  SandboxViews(ExtensionRegistry registry) {
    this.registry = registry;
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
            .map(ExtensionDescriptor::mountDelivery)
            .orElse(MountDelivery.BIND);
    return sandbox.spec().mounts().stream().map(mount -> MountView.of(mount, backend)).toList();
  }
}
