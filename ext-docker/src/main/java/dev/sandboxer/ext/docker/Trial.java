package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes a container as any sandbox's, from an image without a single file, and removes both. So it
 * needs no image of the Engine's and no registry.
 */
final class Trial {

  private static final int NOBODY = 65_534;
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

  /** A point of the curve that nobody has the key to: this boxd takes no token at all. */
  private static final String CONFIG =
      """
      {"installation":"INSTALLATION","sandbox_id":"SANDBOX","generation":1,"issuer":"urn:sandboxer:trial",
       "keys":{"keys":[{"kty":"EC","crv":"P-256","kid":"none",
        "x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
        "y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}]},
       "deadline_seconds":60}
      """;

  private final ExtensionContext context;
  private final Engines engines;
  private final Provisioning provisioning;
  private final Readiness readiness;
  private final Teardown teardown;
  private final SecureRandom random = new SecureRandom();

  Trial(
      ExtensionContext context,
      Engines engines,
      Provisioning provisioning,
      Readiness readiness,
      Teardown teardown) {
    this.context = context;
    this.engines = engines;
    this.provisioning = provisioning;
    this.readiness = readiness;
    this.teardown = teardown;
  }

  void run(Call call) throws ExtensionException {
    try (Engine engine = engines.within(call)) {
      EmptyImage image = EmptyImage.on(engine);
      try (Removal _ = image::remove) {
        run(image.id(), engines.facts(call), call);
      }
    }
  }

  private void run(String image, EngineFacts facts, Call call) throws ExtensionException {
    SandboxIdentity identity =
        new SandboxIdentity(context.installation(), "probe" + random(15), 1, 1);
    try (Removal _ = () -> remove(identity, call)) {
      Image empty = new Image("probe", image, "linux", facts.architecture(), Set.of());
      ProvisionRequest request = request(identity, facts.notEnforced(), call);
      var _ = readiness.await(provisioning.provision(request, _ -> empty, call), call);
    }
  }

  /** What is done at the end in any case. */
  private interface Removal extends AutoCloseable {
    @Override
    void close() throws ExtensionException;
  }

  private void remove(SandboxIdentity identity, Call call) throws ExtensionException {
    CleanupReport report = teardown.of(identity, call);
    if (!report.clean()) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, "the tried container could not be removed: " + report.left());
    }
  }

  private ProvisionRequest request(SandboxIdentity identity, Set<Limit> notEnforced, Call call) {
    SandboxSpec spec =
        SandboxSpec.builder(
                "profile.probe",
                1,
                IsolationLevel.CONTAINER,
                new Resources(BigDecimal.ONE, 64L << 20, 32, 1L << 20, 1L << 20, 64),
                Duration.ofMinutes(1))
            .bestEffort(notEnforced)
            .build();
    byte[] config =
        CONFIG
            .replace("INSTALLATION", identity.installation())
            .replace("SANDBOX", identity.publicId())
            .getBytes(StandardCharsets.UTF_8);
    return ProvisionRequest.of(
            identity, spec, call.host(), new Daemon(context::boxd, List.of("serve"), config))
        .withUid(NOBODY);
  }

  private String random(int length) {
    return random
        .ints(length, 0, LETTERS.length())
        .mapToObj(i -> LETTERS.substring(i, i + 1))
        .collect(Collectors.joining());
  }
}
