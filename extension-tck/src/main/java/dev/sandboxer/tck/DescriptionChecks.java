package dev.sandboxer.tck;

import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.Snapshotting;
import dev.sandboxer.spi.Volumes;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import java.time.Duration;

/** Loading, and whether the descriptor says what is so. */
final class DescriptionChecks {
  private final Benches benches;

  DescriptionChecks(Benches benches) {
    this.benches = benches;
  }

  void loadsInAClassLoaderOfItsOwn() {
    Environment environment = benches.environment();
    ExtensionClassLoader loader = ExtensionClassLoader.of("tck", environment.classPath());
    SandboxExtensionProvider found = Bench.provider(environment, loader);
    Promise.CONTEXT_CLASS_LOADER.require(
        found.getClass().getName().equals(environment.provider().getName())
            && found.getClass().getClassLoader() == loader,
        "ServiceLoader found " + found.getClass().getName(),
        "name " + environment.provider().getName() + " in META-INF/services");
  }

  void isTheSameOnEachCall() {
    Bench first = benches.installation();
    Bench second = benches.restarted(first);
    ExtensionDescriptor descriptor = first.descriptor();
    Promise.DESCRIPTION.require(
        descriptor.equals(first.descriptor()) && descriptor.equals(second.descriptor()),
        "descriptor() gave different values",
        "return one constant; what differs by host is told by Probing");
  }

  void isForThisApi() {
    int version = benches.installation().descriptor().apiVersion();
    Promise.DESCRIPTION.require(
        version == ExtensionDescriptor.API_VERSION,
        "apiVersion is " + version + " and this SPI is " + ExtensionDescriptor.API_VERSION,
        "build against this core-api and pass ExtensionDescriptor.API_VERSION");
  }

  void declaresEachPowerThatItHas() {
    Bench bench = benches.installation();
    ExtensionDescriptor descriptor = bench.descriptor();
    SandboxExtension extension = bench.extension();
    Promise.DESCRIPTION.require(
        (extension instanceof Volumes) == (descriptor.persistence() != Persistence.NONE),
        "persistence is " + descriptor.persistence() + " and " + has(extension, Volumes.class),
        "declare VOLUMES or SNAPSHOTS exactly where the interface Volumes is implemented");
    Promise.DESCRIPTION.require(
        (extension instanceof Snapshotting) == (descriptor.persistence() == Persistence.SNAPSHOTS),
        "persistence is " + descriptor.persistence() + " and " + has(extension, Snapshotting.class),
        "declare SNAPSHOTS exactly where the interface Snapshotting is implemented");
    Promise.DESCRIPTION.require(
        !descriptor.architectures().isEmpty(),
        "no architecture is declared",
        "declare those of the sandboxes, such as amd64");
    Promise.DESCRIPTION.require(
        descriptor.hosting() == Hosting.SAAS || descriptor.regions().isEmpty(),
        "a self-hosted extension declares the regions " + descriptor.regions(),
        "regions are a provider's: declare none, or SAAS");
    Promise.DESCRIPTION.require(
        bench.requests().hasBoxd() || descriptor.boxd() == BoxdPlacement.NONE,
        "boxd is " + descriptor.boxd(),
        "declare INIT, CHILD or NONE");
  }

  private static String has(SandboxExtension extension, Class<?> power) {
    return (power.isInstance(extension) ? "it implements " : "it does not implement ")
        + power.getSimpleName();
  }

  void quotesWhatItDeclares() {
    Bench bench = benches.installation();
    CostQuery query = new CostQuery(bench.requests().spec(), Duration.ofHours(1), 1, null);
    MeterQuote quote =
        bench
            .attempt("estimateCost", call -> bench.extension().estimateCost(query, call))
            .orElseBreak(Promise.DESCRIPTION, "estimateCost", "see its message");
    PricingModel declared = bench.descriptor().pricing();
    Promise.DESCRIPTION.require(
        quote.basis() == declared
            && (declared != PricingModel.FREE || quote.amount().signum() == 0),
        "pricing is " + declared + " and the quote is " + quote,
        "quote on the declared basis; a free backend answers MeterQuote.free()");
  }

  void probesByTryingWhereItCan() {
    Bench bench = benches.installation();
    if (!(bench.extension() instanceof Probing probing)) {
      return;
    }
    Probing.Probe probe =
        bench
            .attempt("probe", call -> probing.probe(benches.environment().host(), call))
            .orElseBreak(Promise.DESCRIPTION, "probe", "tell a bad backend as a result");
    Promise.DESCRIPTION.require(
        probe.usable(),
        "the probe says not usable: " + probe.checks(),
        "mend what the checks name");
    Promise.DESCRIPTION.require(
        bench.descriptor().limits().containsAll(probe.notEnforced()),
        "the probe does not enforce " + probe.notEnforced() + ", of which not all are declared",
        "name only limits of the descriptor");
  }
}
