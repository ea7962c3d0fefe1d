package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.Size;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What of a request E2B can do, and what is refused. */
final class Requests {

  /** Nothing in E2B holds to these; each template has its own disk. */
  static final Set<Limit> UNENFORCED =
      Set.copyOf(EnumSet.of(Limit.PIDS, Limit.WORKSPACE, Limit.TMP, Limit.OPEN_FILES));

  private static final String DEFAULT_USER = "user";
  private static final int MIB_SHIFT = 20;

  private Requests() {}

  static void check(ProvisionRequest request) throws ExtensionException {
    SandboxSpec spec = request.spec();
    List<String> refused = new ArrayList<>();
    if (spec.network().mode() != NetworkMode.NONE) {
      refused.add("network " + spec.network().mode() + ": only NONE");
    }
    if (spec.runtime() != null) {
      refused.add("isolation.runtime: E2B runs its own virtual machines");
    }
    if (!spec.mounts().stream().allMatch(Mount.Tmpfs.class::isInstance)) {
      refused.add("folders and volumes of the platform: only tmpfs, and folders as copies");
    }
    if (request.snapshot().isPresent()) {
      refused.add("a snapshot: it keeps no state");
    }
    Set<Limit> lacking = new TreeSet<>(UNENFORCED);
    lacking.removeAll(spec.bestEffort());
    if (!lacking.isEmpty()) {
      refused.add("limits " + lacking + ": 'best_effort' in the profile accepts that");
    }
    if (!refused.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED, "ext.e2b cannot do this: " + String.join("; ", refused));
    }
  }

  static String template(Account account, SandboxSpec spec) throws ExtensionException {
    Map<String, Object> options = spec.options();
    if (options.get("template") instanceof String named) {
      return named;
    }
    String image = spec.image();
    if (image == null) {
      return account.template();
    }
    String built = account.templates().get(image);
    if (built != null) {
      return built;
    }
    throw new ExtensionException(
        ErrorCode.UNSUPPORTED,
        "E2B starts templates and no images: settings.templates of host %s names none that was built for '%s'"
            .formatted(account.host(), image));
  }

  static String user(SandboxSpec spec) {
    return spec.options().getOrDefault("user", DEFAULT_USER).toString();
  }

  /** A machine of a template that is larger than the profile's limits holds to none of them. */
  static void checkSize(String template, Size size, SandboxSpec spec) throws ExtensionException {
    List<String> larger = new ArrayList<>();
    BigDecimal cpus = spec.resources().cpus();
    if (!spec.bestEffort().contains(Limit.CPUS)
        && BigDecimal.valueOf(size.vcpus()).compareTo(cpus) > 0) {
      larger.add(
          "%d vCPU where resources.cpus is %s".formatted(size.vcpus(), cpus.toPlainString()));
    }
    long bytes = (long) size.memoryMib() << MIB_SHIFT;
    if (!spec.bestEffort().contains(Limit.MEMORY) && bytes > spec.resources().memoryBytes()) {
      larger.add(
          "%d MiB where resources.memory is %d"
              .formatted(size.memoryMib(), spec.resources().memoryBytes() >> MIB_SHIFT));
    }
    if (!larger.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "template %s has %s; name a smaller one in options.template, or 'best_effort: [cpus, memory]'"
              .formatted(template, String.join(" and ", larger)));
    }
  }
}
