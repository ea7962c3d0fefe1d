package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.platform.dataplane.BoxdCertificates;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.token.KeyPurpose;
import dev.sandboxer.platform.token.SigningKeys;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What boxd is given at its start: whose it is, what to trust and when to end. No secrets, but for
 * its own key of TLS where the extension asks for that.
 */
@ApplicationScoped
class DaemonConfigs {

  /** boxd ends later than the platform would, so that the platform's own reason is the first. */
  private static final Duration MARGIN = Duration.ofMinutes(1);

  private final Installation installation;
  private final SigningKeys keys;
  private final ProfileStore profiles;
  private final ObjectMapper json;
  private final Clock clock;
  private final BoxdCertificates certificates;

  DaemonConfigs(
      Installation installation,
      SigningKeys keys,
      ProfileStore profiles,
      ObjectMapper json,
      Clock clock,
      BoxdCertificates certificates) {
    this.certificates = certificates;
    this.installation = installation;
    this.keys = keys;
    this.profiles = profiles;
    this.json = json;
    this.clock = clock;
  }

  byte[] of(Sandbox sandbox, SandboxSpec spec) {
    return bytes(config(sandbox, spec));
  }

  /** The same, for a boxd that speaks TLS. */
  byte[] withTls(Sandbox sandbox, SandboxSpec spec) {
    BoxdCertificates.Pair pair = certificates.pair(sandbox.id(), sandbox.generation());
    ObjectNode config = config(sandbox, spec);
    config.putObject("tls").put("certificate", pair.certificate()).put("key", pair.key());
    return bytes(config);
  }

  private byte[] bytes(ObjectNode config) {
    try {
      return json.writeValueAsBytes(config);
    } catch (IOException e) {
      throw new IllegalStateException("boxd's config could not be written", e);
    }
  }

  private ObjectNode config(Sandbox sandbox, SandboxSpec spec) {
    try {
      ObjectNode config = json.createObjectNode();
      config.put("installation", installation.id());
      config.put("sandbox_id", sandbox.publicId());
      config.put("generation", sandbox.generation());
      config.put("issuer", installation.issuer());
      config.set("keys", json.readTree(keys.get().jwks(KeyPurpose.RELAY)));
      config.put("deadline_seconds", deadlineSeconds(sandbox));
      config.put("pids", spec.resources().pids());
      limits(sandbox).forEach(config.putObject("limits")::put);
      return config;
    } catch (IOException e) {
      throw new IllegalStateException("the public keys could not be read", e);
    }
  }

  /** What the version of the profile says, which never changes. */
  private Map<String, Long> limits(Sandbox sandbox) {
    return profiles.find(sandbox.profile().toString()).map(Profile::limits).orElse(Map.of());
  }

  /** Seconds from now until boxd ends the sandbox by itself. */
  long deadlineSeconds(Sandbox sandbox) {
    Instant end = sandbox.hardExpiresAt();
    Duration left = end == null ? Duration.ZERO : Duration.between(clock.instant(), end);
    return Math.max(1, left.plus(MARGIN).toSeconds());
  }
}
