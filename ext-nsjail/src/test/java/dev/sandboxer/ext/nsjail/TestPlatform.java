package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A platform's side of the extension interface, with a home in a folder of the test. */
final class TestPlatform implements ExtensionContext {
  private final Path home;
  private final String installation = UUID.randomUUID().toString();
  private final Map<String, String> settings;

  TestPlatform(Path home, Map<String, String> settings) throws IOException {
    this.home = home;
    this.settings = Map.copyOf(settings);
    Files.createDirectories(runFolder());
    Files.createDirectories(stateFolder());
  }

  /** A platform with the nsjail that the environment names. */
  static TestPlatform withNsjail(Path home) throws IOException {
    String nsjail = System.getenv("SANDBOXER_NSJAIL");
    if (nsjail == null) {
      throw new IllegalStateException(
          "these tests start real jails: set SANDBOXER_NSJAIL to the path of nsjail");
    }
    return new TestPlatform(home, Map.of("SANDBOXER_NSJAIL", nsjail));
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

  /** A call that is never cancelled and keeps its progress. */
  static final class Patient implements Call {
    final List<Progress> steps = new ArrayList<>();

    @Override
    public Duration remaining() {
      return Duration.ofSeconds(30);
    }

    @Override
    public boolean cancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void progress(Progress progress) {
      steps.add(progress);
    }
  }
}
