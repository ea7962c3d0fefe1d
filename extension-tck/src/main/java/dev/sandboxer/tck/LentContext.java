package dev.sandboxer.tck;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A platform's side of the interface: folders below one home, and a key that signs identities. */
final class LentContext implements ExtensionContext {
  private static final String ALGORITHM = "HmacSHA256";

  private final Path home;
  private final String installation;
  private final String key;
  private final Map<String, String> settings;
  private final BoxdBinary boxd;
  private volatile Set<String> declared = Set.of();
  private final Set<SandboxIdentity> signed = ConcurrentHashMap.newKeySet();

  LentContext(
      Path home, String installation, String key, Map<String, String> settings, BoxdBinary boxd) {
    this.home = home;
    this.installation = installation;
    this.key = key;
    this.settings = settings;
    this.boxd = boxd;
  }

  /** The same installation and folders after a restart of the platform. */
  LentContext again() {
    return new LentContext(home, installation, key, settings, boxd);
  }

  /** The same installation and folders, but a key that signs otherwise: a forger's. */
  LentContext forged() {
    return new LentContext(home, installation, key + " forged", settings, boxd);
  }

  /** The keys that the extension may ask for, once its descriptor is known. */
  void declare(Set<String> keys) {
    declared = Set.copyOf(keys);
  }

  Path home() {
    return home;
  }

  Set<SandboxIdentity> signed() {
    return signed;
  }

  @Override
  public String installation() {
    return installation;
  }

  @Override
  public Path stateFolder() {
    return folder("state");
  }

  @Override
  public Path runFolder() {
    return folder("run");
  }

  private Path folder(String name) {
    try {
      return Files.createDirectories(
          home.resolve(name),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Path toolsFolder() {
    return home.resolve("tools");
  }

  @Override
  public Path boxd(String os, String arch) {
    return boxd.find(os, arch);
  }

  @Override
  public String setting(String key) {
    if (!declared.contains(key)) {
      throw new IllegalArgumentException(
          "the descriptor does not declare the setting '" + key + "', only " + declared);
    }
    return settings.getOrDefault(key, "");
  }

  @Override
  public String sign(SandboxIdentity identity) {
    signed.add(identity);
    return signature(identity);
  }

  private String signature(SandboxIdentity identity) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      String text = identity.installation() + " " + identity.name();
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  @Override
  public boolean verify(SandboxIdentity identity, String signature) {
    return MessageDigest.isEqual(
        signature(identity).getBytes(StandardCharsets.UTF_8),
        signature.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public InstantSource clock() {
    return InstantSource.system();
  }
}
