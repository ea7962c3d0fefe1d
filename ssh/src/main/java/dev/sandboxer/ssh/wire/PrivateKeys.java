package dev.sandboxer.ssh.wire;

import com.hierynomus.sshj.common.KeyDecryptionFailedException;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshKey;
import dev.sandboxer.ssh.SshTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import net.schmizz.sshj.SSHClient;
import net.schmizz.sshj.userauth.keyprovider.KeyPairWrapper;
import net.schmizz.sshj.userauth.keyprovider.KeyProvider;
import net.schmizz.sshj.userauth.password.PasswordUtils;

/** Reads private keys, before anybody is connected to. */
final class PrivateKeys {

  private PrivateKeys() {}

  static KeyProvider read(SSHClient client, SshTarget target) throws SshException {
    SshKey key = target.key();
    Optional<String> passphrase = key.passphrase();
    try {
      KeyProvider read =
          client.loadKeys(
              text(key),
              null,
              passphrase.map(p -> PasswordUtils.createOneOff(p.toCharArray())).orElse(null));
      return new KeyPairWrapper(read.getPublic(), read.getPrivate());
    } catch (KeyDecryptionFailedException e) {
      throw new SshException(
          Kind.PASSPHRASE,
          "the private key for %s (%s) has a passphrase, and %s"
              .formatted(
                  target.name(),
                  place(key),
                  passphrase.isPresent() ? "the given one is wrong" : "none was given"),
          e);
    } catch (IOException | RuntimeException e) {
      // Its message may repeat a part of the key.
      throw new SshException(
          Kind.KEY_UNREADABLE,
          "the private key for %s (%s) cannot be read: %s"
              .formatted(target.name(), place(key), e.getClass().getSimpleName()),
          e instanceof java.nio.file.FileSystemException ? e : null);
    }
  }

  private static String text(SshKey key) throws IOException {
    return switch (key) {
      case SshKey.InFile file -> Files.readString(file.path());
      case SshKey.Given given -> given.pem();
    };
  }

  private static String place(SshKey key) {
    return switch (key) {
      case SshKey.InFile file -> file.path().toString();
      case SshKey.Given _ -> "given as a secret";
    };
  }
}
