package dev.sandboxer.ssh.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.ssh.HostKeys;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshTarget;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import net.schmizz.sshj.common.Buffer;
import net.schmizz.sshj.common.KeyType;
import net.schmizz.sshj.transport.verification.HostKeyVerifier;
import net.schmizz.sshj.transport.verification.OpenSSHKnownHosts;
import net.schmizz.sshj.transport.verification.OpenSSHKnownHosts.KnownHostEntry;

/** Whether a server is the one that we know, and if not, why. */
final class HostKeyCheck implements HostKeyVerifier {

  private final SshTarget target;
  private final Set<String> known;
  private final Set<String> types;
  private final Set<String> revoked;
  private volatile Optional<SshException> refusal = Optional.empty();

  private HostKeyCheck(
      SshTarget target, Set<String> known, Set<String> types, Set<String> revoked) {
    this.target = target;
    this.known = known;
    this.types = types;
    this.revoked = revoked;
  }

  static HostKeyCheck of(SshTarget target) throws SshException {
    return switch (target.hostKeys()) {
      case HostKeys.Fingerprints pinned ->
          new HostKeyCheck(target, pinned.fingerprints(), Set.of(), Set.of());
      case HostKeys.KnownHosts list -> fromFile(target, list);
    };
  }

  private static HostKeyCheck fromFile(SshTarget target, HostKeys.KnownHosts list)
      throws SshException {
    Set<String> known = new LinkedHashSet<>();
    Set<String> types = new LinkedHashSet<>();
    Set<String> revoked = new LinkedHashSet<>();
    try {
      String text = Files.readString(list.file(), UTF_8);
      String name = target.host().toLowerCase(Locale.ROOT);
      String place = target.port() == 22 ? name : "[" + name + "]:" + target.port();
      for (KnownHostEntry entry :
          new OpenSSHKnownHosts(new StringReader(text), new ClientConfig.Quiet()).entries()) {
        // A certificate authority signs for hosts; its own key is none of theirs.
        if (entry.appliesTo(place) && !entry.getLine().startsWith("@cert-authority")) {
          boolean bad = entry.getLine().startsWith("@revoked");
          (bad ? revoked : known).add(fingerprint(entry));
          types.addAll(algorithms(entry.getType()));
        }
      }
    } catch (IOException e) {
      throw new SshException(
          Kind.HOST_KEY_UNKNOWN,
          "the known hosts of %s cannot be read from %s: %s"
              .formatted(target.server(), list.file(), e),
          e);
    }
    return new HostKeyCheck(target, known, types, revoked);
  }

  /** Why the server was refused; empty if it was not. */
  Optional<SshException> refusal() {
    return refusal;
  }

  @Override
  public boolean verify(String host, int port, PublicKey key) {
    String seen = fingerprint(new Buffer.PlainBuffer().putPublicKey(key).getCompactData());
    if (known.contains(seen) && !revoked.contains(seen)) {
      return true;
    }
    String shown = "%s key %s".formatted(KeyType.fromKey(key), seen);
    refusal = Optional.of(revoked.contains(seen) ? revoked(shown) : other(shown));
    return false;
  }

  private SshException revoked(String shown) {
    return new SshException(
        Kind.HOST_KEY_CHANGED,
        "the SSH server at %s shows the %s, which the list of known hosts revokes"
            .formatted(target.server(), shown));
  }

  private SshException other(String shown) {
    if (known.isEmpty()) {
      return new SshException(
          Kind.HOST_KEY_UNKNOWN,
          "the SSH server at %s shows the %s, which is not known: compare it with the server's own (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and pin it"
              .formatted(target.server(), shown));
    }
    return new SshException(
        Kind.HOST_KEY_CHANGED,
        "the SSH server at %s shows the %s, but the known one is %s: somebody may be listening in; pin the new one only if the server was set up again"
            .formatted(target.server(), shown, String.join(" or ", known)));
  }

  /** Those first for which we have a key: the server chooses by them which key it shows. */
  @Override
  public List<String> findExistingAlgorithms(String host, int port) {
    return List.copyOf(types);
  }

  private static List<String> algorithms(KeyType type) {
    return type == KeyType.RSA ? List.of("rsa-sha2-512", "rsa-sha2-256") : List.of(type.toString());
  }

  private static String fingerprint(KnownHostEntry entry) {
    String key =
        Stream.of(entry.getLine().split("\\s+", -1))
            .filter(word -> word.startsWith("AAAA"))
            .findFirst()
            .orElse("");
    return fingerprint(Base64.getDecoder().decode(key));
  }

  private static String fingerprint(byte[] key) {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(key);
      return "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
