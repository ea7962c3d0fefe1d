package dev.sandboxer.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The boxd to place. The command line inside is the binary, then {@link #arguments()}, then {@code
 * --config <path of the config inside>} and {@code --listen fd:<n>} (a listening socket handed in),
 * {@code --listen unix:<path inside>} or {@code --listen tcp:<address>:<port>}.
 *
 * <p>The config holds a public key set, ids, limits and the hard deadline, and where the extension
 * asks for it the key pair of TLS. That private key is this sandbox's alone and proves to the
 * platform that it has reached this sandbox; the config holds no other secret. The sandbox's code
 * may read both files and must be able to write neither. The environment of the first process is
 * empty but for what the backend itself needs.
 */
public final class Daemon {

  /**
   * What a backend's limit of processes and threads allows beyond {@link Resources#pids()}: boxd's
   * own threads, most of which it makes at its start, so that user code gets its figure and cannot
   * take boxd's. The same number as {@code threads.Reserve} of boxd.
   */
  public static final int RESERVED_PIDS = 44;

  /** Finds the binary for a platform. */
  @FunctionalInterface
  public interface Binaries {
    /**
     * Finds one.
     *
     * @param os such as {@code linux}
     * @param arch such as {@code amd64}
     * @return an absolute path to an executable, static file
     * @throws IllegalArgumentException if there is none for that platform
     */
    Path find(String os, String arch);
  }

  private final Binaries binaries;
  private final List<String> arguments;
  private final byte[] config;
  private final Supplier<byte[]> configWithTls;

  /**
   * Makes the description of one that cannot speak TLS.
   *
   * @param binaries where the binaries are
   * @param arguments the first arguments
   * @param config the config file's bytes
   */
  public Daemon(Binaries binaries, List<String> arguments, byte[] config) {
    this(
        binaries,
        arguments,
        config,
        () -> {
          throw new UnsupportedOperationException("this boxd has no certificate");
        });
  }

  /**
   * Makes the description.
   *
   * @param binaries where the binaries are
   * @param arguments the first arguments
   * @param config the config file's bytes without TLS
   * @param configWithTls the config file's bytes with TLS, called on each {@link #configWithTls()}
   */
  public Daemon(
      Binaries binaries, List<String> arguments, byte[] config, Supplier<byte[]> configWithTls) {
    this.binaries = Objects.requireNonNull(binaries);
    this.arguments = List.copyOf(arguments);
    this.config = config.clone();
    this.configWithTls = Objects.requireNonNull(configWithTls);
  }

  /**
   * The binary for the sandbox's platform, which may differ from the host's.
   *
   * @param os such as {@code linux}
   * @param arch such as {@code amd64} or {@code arm64}
   * @return an absolute path to an executable, static file
   * @throws IllegalArgumentException if there is none for that platform
   */
  public Path binary(String os, String arch) {
    return binaries.find(os, arch);
  }

  /**
   * The first arguments of the command line.
   *
   * @return such as {@code [serve]}
   */
  public List<String> arguments() {
    return arguments;
  }

  /**
   * What to write into the config file.
   *
   * @return a copy of the bytes
   */
  public byte[] config() {
    return config.clone();
  }

  /**
   * What to write into the config file of a boxd that speaks TLS: {@link #config()} with a
   * certificate and its private key. Instead of {@link #config()}, for an address with {@link
   * DataplaneAddress.Trust#PINNED}. The platform accepts this certificate from this sandbox and
   * generation alone, also after a restart, and stores nothing for it.
   *
   * @return the bytes
   * @throws UnsupportedOperationException if this boxd was described without TLS
   */
  public byte[] configWithTls() {
    return configWithTls.get();
  }
}
