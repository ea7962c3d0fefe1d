package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.testing.TestPlatform;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Requests as the platform would make them. */
final class SandboxRequests {
  static final HostRef LOCAL = new HostRef("here", HostRef.LOCAL);
  static final String IMAGE = "sandboxer-test/busybox:latest";

  private final TestPlatform platform;
  private final BoxdKey key;
  private final AtomicInteger made = new AtomicInteger();

  SandboxRequests(TestPlatform platform, BoxdKey key) {
    this.platform = platform;
    this.key = key;
  }

  SandboxIdentity identity() {
    String raw = "t%019d".formatted(ProcessHandle.current().pid() * 1000 + made.incrementAndGet());
    return new SandboxIdentity(platform.installation(), raw, 1, 1);
  }

  ProvisionRequest of(SandboxIdentity identity) {
    return with(identity, spec(IMAGE));
  }

  ProvisionRequest with(SandboxIdentity identity, SandboxSpec spec) {
    int uid = 2_020_000 + made.get();
    Daemon daemon =
        new Daemon(
            platform::boxd,
            List.of("serve"),
            key.config(identity).getBytes(StandardCharsets.UTF_8));
    return ProvisionRequest.of(identity, spec, LOCAL, daemon).withUid(uid);
  }

  static SandboxSpec spec(@Nullable String image, Mount... mounts) {
    return spec(image, null, mounts);
  }

  static SandboxSpec spec(@Nullable String image, @Nullable String runtime, Mount... mounts) {
    return SandboxSpec.builder(
            "profile.docker",
            1,
            IsolationLevel.CONTAINER,
            new Resources(BigDecimal.ONE, 128L << 20, 64, 16L << 20, 8L << 20, 256),
            Duration.ofHours(1))
        .image(image)
        .runtime(runtime)
        .mounts(List.of(mounts))
        .labels(Map.of("team", "blue"))
        .build();
  }
}
