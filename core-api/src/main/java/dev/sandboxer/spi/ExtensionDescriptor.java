package dev.sandboxer.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an extension is and can do. Routing believes it: what is not declared is never asked for.
 *
 * <p>Extensions make it with {@link #builder}, so that they also work with a later SPI that has
 * further components.
 *
 * @param id {@code ext.<name>}, lower case
 * @param version the extension's own version
 * @param apiVersion the SPI it was built for; must equal {@link #API_VERSION}
 * @param hosting who runs the machines
 * @param isolationLevels what it can offer, at least one
 * @param networkModes what it can enforce, at least {@link NetworkMode#NONE} for untrusted code
 * @param limits what it can enforce at its best; a host may offer less, see {@link Probing}
 * @param persistence what outlives a sandbox's end
 * @param regions provider regions, empty for self-hosted
 * @param architectures of sandboxes, such as {@code amd64}
 * @param pricing how use is billed
 * @param boxd how boxd gets into the sandbox
 * @param identity how {@link SandboxExtension#find} finds
 * @param lateEffectWindow how long after an abandoned call its effect may still appear
 * @param nodeBound whether only the node that made a sandbox can reach it, and its folders and
 *     volumes are files of that node's machine; of hosts on other machines see {@link
 *     #nodeBound(HostRef)}
 * @param uidLease whether each sandbox needs a user id of the host for itself; the platform leases
 *     one only then, see {@link ProvisionRequest#uid()}
 * @param secretFiles whether {@link ProvisionRequest#secretFiles()} has the profile's secrets of
 *     {@code use: file}, which boxd gets in any case
 * @param archiveOptions names of {@code options} in a profile that stand for an {@link Archive}:
 *     the value is {@code sha256:} and the digest of one that the tenant has uploaded, or the
 *     absolute path of a folder of the platform's machine that the tenant may use. The extension
 *     gets the bytes, with {@link ProvisionRequest#archives()}, and never reads the folder
 * @param mountDelivery how folders of the platform's machine get into a sandbox; of hosts on other
 *     machines see {@link #mountDelivery(HostRef)}
 * @param settings keys that {@link ExtensionContext#setting} may be asked for, lower case letters,
 *     digits and underscores
 * @param optionsSchema JSON Schema of {@code options} in a profile, null if the extension takes
 *     none
 * @param hostSettingsSchema JSON Schema of the settings of a host, null if the extension takes none
 */
public record ExtensionDescriptor(
    String id,
    String version,
    int apiVersion,
    Hosting hosting,
    Set<IsolationLevel> isolationLevels,
    Set<NetworkMode> networkModes,
    Set<Limit> limits,
    Persistence persistence,
    Set<String> regions,
    Set<String> architectures,
    PricingModel pricing,
    BoxdPlacement boxd,
    IdentityMode identity,
    Duration lateEffectWindow,
    boolean nodeBound,
    boolean uidLease,
    boolean secretFiles,
    Set<String> archiveOptions,
    MountDelivery mountDelivery,
    Set<String> settings,
    @Nullable String optionsSchema,
    @Nullable String hostSettingsSchema) {

  /** The version of this SPI. An extension that wants another one is not loaded. */
  public static final int API_VERSION = 1;

  private static final Pattern ID = Pattern.compile("ext\\.[a-z0-9][a-z0-9-]{0,39}");
  private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_]{0,62}");

  /** Checks the values; {@link IllegalArgumentException} names what is wrong. */
  @ForPlatform
  public ExtensionDescriptor {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "extension id '" + id + "' must be ext.<name>, lower case letters, digits and dashes");
    }
    if (version.isBlank() || version.length() > 64) {
      throw new IllegalArgumentException("version must have 1 to 64 characters");
    }
    if (isolationLevels.isEmpty()) {
      throw new IllegalArgumentException("at least one isolation level must be declared");
    }
    if (networkModes.isEmpty()) {
      throw new IllegalArgumentException("at least one network mode must be declared");
    }
    if (lateEffectWindow.isNegative()) {
      throw new IllegalArgumentException("late effect window must not be negative");
    }
    Objects.requireNonNull(hosting);
    Objects.requireNonNull(persistence);
    Objects.requireNonNull(pricing);
    Objects.requireNonNull(boxd);
    Objects.requireNonNull(identity);
    isolationLevels = Set.copyOf(isolationLevels);
    networkModes = Set.copyOf(networkModes);
    limits = Set.copyOf(limits);
    regions = Set.copyOf(regions);
    architectures = Set.copyOf(architectures);
    archiveOptions = Set.copyOf(archiveOptions);
    Objects.requireNonNull(mountDelivery);
    settings = Set.copyOf(settings);
    for (String setting : settings) {
      if (!SETTING.matcher(setting).matches()) {
        throw new IllegalArgumentException(
            "setting '" + setting + "' must be lower case letters, digits and underscores");
      }
    }
  }

  /**
   * Starts a description. See {@link ExtensionDescriptorBuilder} for what must be set.
   *
   * @param id {@code ext.<name>}, lower case
   * @param version the extension's own version
   * @param apiVersion {@link #API_VERSION}; the compiler puts the number into the extension, so it
   *     says for which SPI the extension was built
   * @return a new builder
   */
  public static ExtensionDescriptorBuilder builder(String id, String version, int apiVersion) {
    return new ExtensionDescriptorBuilder(id, version, apiVersion);
  }

  /**
   * A builder that has all these values.
   *
   * @return a new builder
   */
  public ExtensionDescriptorBuilder toBuilder() {
    return new ExtensionDescriptorBuilder(this);
  }

  /**
   * Whether only one node can reach the sandboxes of a host. A host that does not share the
   * platform's file system is reached by every node.
   *
   * @param host of this extension
   * @return false where each node may be asked
   */
  public boolean nodeBound(HostRef host) {
    return nodeBound && host.sameMachine();
  }

  /**
   * How folders of the platform's machine get into the sandboxes of a host. To one that does not
   * share the platform's file system they are copied.
   *
   * @param host of this extension
   * @return the way there
   */
  public MountDelivery mountDelivery(HostRef host) {
    return host.sameMachine() ? mountDelivery : MountDelivery.COPY;
  }

  /**
   * What outlives the sandboxes of a host. Volumes of a node-bound extension are files of a node's
   * machine, so a host elsewhere has none.
   *
   * @param host of this extension
   * @return what may be asked of it there
   */
  public Persistence persistence(HostRef host) {
    return nodeBound && !host.sameMachine() ? Persistence.NONE : persistence;
  }

  /** Who runs the machines. */
  public enum Hosting {
    /** Machines of the operator. */
    SELF_HOSTED,
    /** A provider's cloud. */
    SAAS
  }

  /** What outlives a sandbox's end. */
  public enum Persistence {
    /** Nothing. */
    NONE,
    /** Named volumes. */
    VOLUMES,
    /** Volumes and snapshots. */
    SNAPSHOTS
  }

  /** How use is billed. */
  public enum PricingModel {
    /** Not billed. */
    FREE,
    /** By what was asked for, while it exists. */
    ALLOCATED,
    /** By what was used. */
    ACTIVE
  }
}
