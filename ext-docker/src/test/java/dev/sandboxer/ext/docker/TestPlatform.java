package dev.sandboxer.ext.docker;

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
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A platform's side of the extension interface, with a home in a folder of the test. */
final class TestPlatform implements ExtensionContext {
  private final Path home;
  private final String installation;
  private final Map<String, String> settings;

  TestPlatform(Path home, Map<String, String> settings) throws IOException {
    this(home, UUID.randomUUID().toString(), settings);
  }

  TestPlatform(Path home, String installation, Map<String, String> settings) throws IOException {
    this.home = home;
    this.installation = installation;
    this.settings = Map.copyOf(settings);
    Files.createDirectories(runFolder());
    Files.createDirectories(stateFolder());
  }

  /** The socket of the Engine that the environment names. */
  static Path engine() {
    String host = System.getenv("SANDBOXER_DOCKER_HOST");
    if (host == null || !host.startsWith("unix://")) {
      throw new IllegalStateException(
          "these tests start real containers: set SANDBOXER_DOCKER_HOST to an Engine, such as"
              + " unix:///var/run/docker.sock");
    }
    return Path.of(host.substring("unix://".length()));
  }

  /** A platform with an Engine at another socket. */
  static TestPlatform with(Path home, Path socket) throws IOException {
    return new TestPlatform(home, settings(socket));
  }

  static Map<String, String> settings(Path socket) {
    return Map.of("SANDBOXER_DOCKER_HOST", "unix://" + socket);
  }

  /** A platform with the Engine that the environment names. */
  static TestPlatform withEngine(Path home) throws IOException {
    return with(home, engine());
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
    return Path.of(System.getProperty("boxd", "target/boxd")).toAbsolutePath();
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
    final List<Progress> steps = new CopyOnWriteArrayList<>();

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

  /** A call that a test cancels. */
  static final class Cancellable implements Call {
    private final List<Runnable> actions = new CopyOnWriteArrayList<>();
    private volatile boolean cancelled;

    void cancel() {
      cancelled = true;
      actions.forEach(Runnable::run);
    }

    @Override
    public Duration remaining() {
      return Duration.ofMinutes(10);
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }

    @Override
    public void onCancel(Runnable action) {
      actions.add(action);
    }

    @Override
    public void progress(Progress progress) {}
  }
}
