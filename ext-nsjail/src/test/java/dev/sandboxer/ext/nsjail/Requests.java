package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.testing.TestPlatform;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Requests as the platform would make them from the profile {@code local}. */
final class Requests {
  private static final HostRef LOCAL = new HostRef("here", HostRef.LOCAL);

  private final TestPlatform platform;
  private final AtomicInteger made = new AtomicInteger();

  Requests(TestPlatform platform) {
    this.platform = platform;
  }

  SandboxIdentity identity() {
    String raw = "t%019d".formatted(ProcessHandle.current().pid() * 1000 + made.incrementAndGet());
    return new SandboxIdentity(platform.installation(), raw, 1, 1);
  }

  ProvisionRequest of(SandboxIdentity identity) {
    return with(identity, LOCAL, spec(IsolationLevel.PROCESS, Network.NONE, null));
  }

  ProvisionRequest with(SandboxIdentity identity, HostRef host, SandboxSpec spec) {
    int uid = 2_010_000 + made.get();
    Daemon daemon =
        new Daemon(
            platform::boxd, List.of("serve"), config(identity).getBytes(StandardCharsets.UTF_8));
    return ProvisionRequest.of(identity, spec, host, daemon).withUid(uid);
  }

  static SandboxSpec spec(IsolationLevel isolation, Network network, @Nullable String image) {
    return SandboxSpec.builder(
            "profile.local",
            1,
            isolation,
            new Resources(BigDecimal.ONE, 256L << 20, 64, 16L << 20, 16L << 20, 256),
            Duration.ofHours(1))
        .image(image)
        .network(network)
        .bestEffort(root() ? Set.of() : EnumSet.of(Limit.UID, Limit.MEMORY, Limit.PIDS, Limit.CPUS))
        .build();
  }

  static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static String config(SandboxIdentity identity) {
    return Json.write(
        Map.of(
            "installation", identity.installation(),
            "sandbox_id", identity.publicId(),
            "generation", identity.generation(),
            "issuer", "urn:sandboxer:" + identity.installation(),
            "keys", Map.of("keys", List.of(key())),
            "deadline_seconds", 600));
  }

  private static Map<String, String> key() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      ECPublicKey key = (ECPublicKey) generator.generateKeyPair().getPublic();
      return Map.of(
          "kty",
          "EC",
          "crv",
          "P-256",
          "kid",
          "k",
          "x",
          coordinate(key.getW().getAffineX().toByteArray()),
          "y",
          coordinate(key.getW().getAffineY().toByteArray()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String coordinate(byte[] number) {
    byte[] padded = new byte[32];
    byte[] digits =
        number.length > 32 ? Arrays.copyOfRange(number, number.length - 32, number.length) : number;
    System.arraycopy(digits, 0, padded, 32 - digits.length, digits.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(padded);
  }
}
