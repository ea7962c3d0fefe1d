package dev.sandboxer.spi;

import java.nio.file.Path;
import java.time.InstantSource;

/**
 * What the platform lends to an extension. Usable from any thread, as long as the platform runs.
 */
public interface ExtensionContext {

  /**
   * The installation's id.
   *
   * @return a UUID in text form
   */
  String installation();

  /**
   * A folder of this extension alone, mode 0700, kept over restarts.
   *
   * @return an absolute path, the folder exists
   */
  Path stateFolder();

  /**
   * A folder of this extension alone for sockets, mode 0700; its path is short, as a socket path
   * has 107 bytes.
   *
   * @return an absolute path, the folder exists
   */
  Path runFolder();

  /**
   * Where set-up puts programs that extensions need.
   *
   * @return an absolute path; the folder may not exist
   */
  Path toolsFolder();

  /**
   * The boxd binary for one platform; extensions with a host-side launcher use the host's.
   *
   * @param os such as {@code linux}
   * @param arch such as {@code amd64}
   * @return an absolute path to an executable file
   * @throws IllegalArgumentException if there is none for that platform
   */
  Path boxd(String os, String arch);

  /**
   * A setting of this extension alone, which the operator gave in the environment or in {@code
   * sandboxer.properties} as {@code SANDBOXER_EXT_<NAME>_<KEY>}: the extension's name and the key
   * in upper case, with underscores for dashes. Key {@code path} of {@code ext.my-jail} is {@code
   * SANDBOXER_EXT_MY_JAIL_PATH}.
   *
   * @param key one of {@link ExtensionDescriptor#settings()}
   * @return the value, empty text if not set
   * @throws IllegalArgumentException if the descriptor does not declare the key
   */
  String setting(String key);

  /**
   * Signs an identity for the label that every object carries.
   *
   * @param identity of the object
   * @return an HMAC over all parts of the identity, hexadecimal
   */
  String sign(SandboxIdentity identity);

  /**
   * Checks a label, in constant time. Nothing without a valid label may be removed.
   *
   * @param identity read from the object
   * @param signature read from the object
   * @return whether this installation signed that identity
   */
  boolean verify(SandboxIdentity identity, String signature);

  /**
   * The clock for everything that is shown or stored.
   *
   * @return the platform's clock
   */
  InstantSource clock();
}
