package dev.sandboxer.spi;

import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes an {@link ExtensionDescriptor}. A component that a later SPI adds has a default here, so an
 * extension that does not know it keeps working.
 */
public final class ExtensionDescriptorBuilder {

  private final String id;
  private final String version;
  private final int apiVersion;
  private Hosting hosting = Hosting.SELF_HOSTED;
  private Set<IsolationLevel> isolationLevels = Set.of();
  private Set<NetworkMode> networkModes = Set.of();
  private Set<Limit> limits = Set.of();
  private Persistence persistence = Persistence.NONE;
  private Set<String> regions = Set.of();
  private Set<String> architectures = Set.of();
  private PricingModel pricing = PricingModel.FREE;
  private @Nullable BoxdPlacement boxd;
  private @Nullable IdentityMode identity;
  private @Nullable Duration lateEffectWindow;
  private boolean nodeBound = true;
  private boolean uidLease;
  private boolean secretFiles;
  private Set<String> archiveOptions = Set.of();
  private MountDelivery mountDelivery = MountDelivery.BIND;
  private Set<String> settings = Set.of();
  private @Nullable String optionsSchema;
  private @Nullable String hostSettingsSchema;

  ExtensionDescriptorBuilder(String id, String version, int apiVersion) {
    this.id = id;
    this.version = version;
    this.apiVersion = apiVersion;
  }

  ExtensionDescriptorBuilder(ExtensionDescriptor from) {
    this(from.id(), from.version(), from.apiVersion());
    this.hosting = from.hosting();
    this.isolationLevels = from.isolationLevels();
    this.networkModes = from.networkModes();
    this.limits = from.limits();
    this.persistence = from.persistence();
    this.regions = from.regions();
    this.architectures = from.architectures();
    this.pricing = from.pricing();
    this.boxd = from.boxd();
    this.identity = from.identity();
    this.lateEffectWindow = from.lateEffectWindow();
    this.nodeBound = from.nodeBound();
    this.uidLease = from.uidLease();
    this.secretFiles = from.secretFiles();
    this.archiveOptions = from.archiveOptions();
    this.mountDelivery = from.mountDelivery();
    this.settings = from.settings();
    this.optionsSchema = from.optionsSchema();
    this.hostSettingsSchema = from.hostSettingsSchema();
  }

  /**
   * Sets who runs the machines; {@link Hosting#SELF_HOSTED} unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder hosting(Hosting value) {
    this.hosting = value;
    return this;
  }

  /**
   * Sets what it can offer; must be set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder isolationLevels(Set<IsolationLevel> value) {
    this.isolationLevels = value;
    return this;
  }

  /**
   * Sets what it can enforce; must be set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder networkModes(Set<NetworkMode> value) {
    this.networkModes = value;
    return this;
  }

  /**
   * Sets what it can enforce at its best; none unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder limits(Set<Limit> value) {
    this.limits = value;
    return this;
  }

  /**
   * Sets what outlives a sandbox; {@link Persistence#NONE} unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder persistence(Persistence value) {
    this.persistence = value;
    return this;
  }

  /**
   * Sets provider regions; none unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder regions(Set<String> value) {
    this.regions = value;
    return this;
  }

  /**
   * Sets architectures of sandboxes; none unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder architectures(Set<String> value) {
    this.architectures = value;
    return this;
  }

  /**
   * Sets how use is billed; {@link PricingModel#FREE} unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder pricing(PricingModel value) {
    this.pricing = value;
    return this;
  }

  /**
   * Sets how boxd gets into the sandbox; must be set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder boxd(BoxdPlacement value) {
    this.boxd = value;
    return this;
  }

  /**
   * Sets how {@link SandboxExtension#find} finds; must be set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder identity(IdentityMode value) {
    this.identity = value;
    return this;
  }

  /**
   * Sets how long after an abandoned call its effect may still appear; must be set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder lateEffectWindow(Duration value) {
    this.lateEffectWindow = value;
    return this;
  }

  /**
   * Sets whether only the node that made a sandbox can reach it; true unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder nodeBound(boolean value) {
    this.nodeBound = value;
    return this;
  }

  /**
   * Sets whether each sandbox needs a user id of the host for itself; false unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder uidLease(boolean value) {
    this.uidLease = value;
    return this;
  }

  /**
   * Sets whether provisioning gets the secrets that are files; false unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder secretFiles(boolean value) {
    this.secretFiles = value;
    return this;
  }

  /**
   * Sets which options stand for archives; none unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder archiveOptions(Set<String> value) {
    this.archiveOptions = value;
    return this;
  }

  /**
   * Sets how folders of the platform's machine get into a sandbox; {@link MountDelivery#BIND}
   * unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder mountDelivery(MountDelivery value) {
    this.mountDelivery = value;
    return this;
  }

  /**
   * Sets keys that {@link ExtensionContext#setting} may be asked for; none unless set.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder settings(Set<String> value) {
    this.settings = value;
    return this;
  }

  /**
   * Sets JSON Schema of {@code options} in a profile; null unless set: a profile may have no
   * options.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder optionsSchema(@Nullable String value) {
    this.optionsSchema = value;
    return this;
  }

  /**
   * Sets JSON Schema of the settings of a host; null unless set: a host may have no settings.
   *
   * @param value see {@link ExtensionDescriptor}
   * @return this
   */
  public ExtensionDescriptorBuilder hostSettingsSchema(@Nullable String value) {
    this.hostSettingsSchema = value;
    return this;
  }

  /**
   * Makes the descriptor.
   *
   * @return checked
   * @throws IllegalArgumentException naming what is missing or wrong
   */
  public ExtensionDescriptor build() {
    return new ExtensionDescriptor(
        id,
        version,
        apiVersion,
        hosting,
        isolationLevels,
        networkModes,
        limits,
        persistence,
        regions,
        architectures,
        pricing,
        set(boxd, "boxd"),
        set(identity, "identity"),
        set(lateEffectWindow, "lateEffectWindow"),
        nodeBound,
        uidLease,
        secretFiles,
        archiveOptions,
        mountDelivery,
        settings,
        optionsSchema,
        hostSettingsSchema);
  }

  private static <T> T set(@Nullable T value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " must be set");
    }
    return value;
  }
}
