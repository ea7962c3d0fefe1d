package dev.sandboxer.platform.installation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/** The one secret outside the database. Each use has a key of its own, derived by HKDF. */
public final class MasterKey implements Sealer, KeyDerivation {

  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final byte FORMAT = 1;

  private final SecretKey sealing;
  private final IdentitySigner signer;
  private final SecretKey derivation;
  private final SecureRandom random = new SecureRandom();

  private MasterKey(byte[] secret) {
    this.sealing = derive(secret, "sandboxer/seal/v1", "AES");
    this.signer = new IdentitySigner(derive(secret, "sandboxer/identity/v1", "HmacSHA256"));
    this.derivation = derive(secret, "sandboxer/derivation/v1", "Generic");
  }

  /**
   * Reads the key from {@code SANDBOXER_MASTER_KEY_FILE}, else from {@code master.key} in the home,
   * which is made for a new home.
   *
   * @param home of the installation
   * @param settings may name another file
   * @return the key
   * @throws StartupException if the file is missing in a used home, readable by others or not of 32
   *     bytes
   */
  public static MasterKey open(Home home, Settings settings) {
    Path file =
        settings
            .path(Setting.SANDBOXER_MASTER_KEY_FILE)
            .orElseGet(() -> home.resolve("master.key"));
    try {
      if (Files.notExists(file)) {
        return create(home, file);
      }
      return read(file);
    } catch (IOException e) {
      throw new StartupException("master key %s cannot be read: %s".formatted(file, e), e);
    }
  }

  private static MasterKey create(Home home, Path file) {
    if (!file.equals(home.resolve("master.key"))) {
      throw new StartupException(
          "SANDBOXER_MASTER_KEY_FILE=%s does not exist: make it with 'head -c 32 /dev/urandom > FILE', mode 0600"
              .formatted(file));
    }
    if (Files.exists(home.resolve("installation"))) {
      throw new StartupException(
          "%s is missing, and what the database holds is encrypted with it: restore the file"
              .formatted(file));
    }
    byte[] secret = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(secret);
    home.writePrivate("master.key", secret);
    return new MasterKey(secret);
  }

  private static MasterKey read(Path file) throws IOException {
    Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
    mode.remove(PosixFilePermission.OWNER_READ);
    mode.remove(PosixFilePermission.OWNER_WRITE);
    if (!mode.isEmpty()) {
      throw new StartupException("master key %s is open to others: chmod 600 it".formatted(file));
    }
    byte[] secret = Files.readAllBytes(file);
    if (secret.length != KEY_BYTES) {
      throw new StartupException(
          "master key %s has %d bytes and must have %d: restore the right file"
              .formatted(file, secret.length, KEY_BYTES));
    }
    return new MasterKey(secret);
  }

  private static SecretKey derive(byte[] secret, String use, String algorithm) {
    try {
      var parameters =
          HKDFParameterSpec.ofExtract()
              .addIKM(secret)
              .thenExpand(use.getBytes(StandardCharsets.UTF_8), KEY_BYTES);
      return KDF.getInstance("HKDF-SHA256").deriveKey(algorithm, parameters);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK cannot derive keys by HKDF-SHA256", e);
    }
  }

  /**
   * Signs identities of backend objects with this key.
   *
   * @return the signer
   */
  public IdentitySigner identitySigner() {
    return signer;
  }

  @Override
  public byte[] derive(String use) {
    try {
      var parameters =
          HKDFParameterSpec.expandOnly(derivation, use.getBytes(StandardCharsets.UTF_8), KEY_BYTES);
      return KDF.getInstance("HKDF-SHA256").deriveData(parameters);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK cannot derive keys by HKDF-SHA256", e);
    }
  }

  @Override
  public byte[] seal(String row, byte[] plain) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, row, nonce, 0).doFinal(plain);
      return ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
          .put(FORMAT)
          .put(nonce)
          .put(sealed)
          .array();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encrypt " + row, e);
    }
  }

  @Override
  public byte[] unseal(String row, byte[] sealed) {
    int head = 1 + NONCE_BYTES;
    if (sealed.length < head + TAG_BITS / 8 || sealed[0] != FORMAT) {
      throw new IllegalStateException("what is sealed in " + row + " has an unknown format");
    }
    try {
      return cipher(Cipher.DECRYPT_MODE, row, sealed, 1)
          .doFinal(sealed, head, sealed.length - head);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "cannot decrypt " + row + ": another master key, another row, or changed bytes", e);
    }
  }

  private Cipher cipher(int mode, String row, byte[] nonce, int offset)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, sealing, new GCMParameterSpec(TAG_BITS, nonce, offset, NONCE_BYTES));
    cipher.updateAAD(row.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
