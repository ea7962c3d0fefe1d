package dev.sandboxer.testing;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A platform's side of the extension interface, with a home in a folder of the test. The binary of
 * boxd is where the system property {@code sandboxer.boxd} says.
 */
public final class TestPlatform implements ExtensionContext {
  private final Path home;
  private final String installation;
  private final Map<String, String> settings;

  /** One of its own. */
  public TestPlatform(Path home, Map<String, String> settings) throws IOException {
    this(home, UUID.randomUUID().toString(), settings);
  }

  /** A further one of an installation. */
  public TestPlatform(Path home, String installation, Map<String, String> settings)
      throws IOException {
    this.home = home;
    this.installation = installation;
    this.settings = Map.copyOf(settings);
    Files.createDirectories(runFolder());
    Files.createDirectories(stateFolder());
  }

  @Override
  public String installation() {
    return installation;
  }

  @Override
  public Path stateFolder() {
    return home.resolve("state");
  }

  @Override
  public Path runFolder() {
    return home.resolve("run");
  }

  @Override
  public Path toolsFolder() {
    return home.resolve("tools");
  }

  @Override
  public Path boxd(String os, String arch) {
    return Path.of(System.getProperty("sandboxer.boxd", "target/boxd")).toAbsolutePath();
  }

  @Override
  public String setting(String name) {
    return settings.getOrDefault(name, "");
  }

  @Override
  public String sign(SandboxIdentity identity) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(installation.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String text = identity.installation() + " " + identity.name();
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean verify(SandboxIdentity identity, String signature) {
    return MessageDigest.isEqual(
        sign(identity).getBytes(StandardCharsets.UTF_8),
        signature.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public InstantSource clock() {
    return InstantSource.system();
  }
}
