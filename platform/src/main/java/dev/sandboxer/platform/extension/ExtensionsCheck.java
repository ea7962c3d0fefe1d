package dev.sandboxer.platform.extension;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether each extension was loaded. Whether its backend works is not tried here. */
@Wellness
@Singleton
class ExtensionsCheck extends FeatureCheck {

  private final ExtensionRegistry extensions;

  ExtensionsCheck(ExtensionRegistry extensions) {
    super("extensions");
    this.extensions = extensions;
  }

  @Override
  public List<Finding> findings() {
    return extensions.list().stream().map(ExtensionsCheck::finding).toList();
  }

  private static Finding finding(LoadedExtension extension) {
    boolean loaded = extension.state() == LoadedExtension.State.LOADED;
    String reason = extension.reason();
    return new Finding(extension.id(), loaded, reason == null ? "loaded" : reason);
  }
}
