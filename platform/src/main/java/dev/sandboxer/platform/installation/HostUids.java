package dev.sandboxer.platform.installation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Which user ids this installation leases. Where the operator set none, installations on one host
 * share them out in blocks, each in a file that names the installation's home: so two never lease
 * one id. Only root can lease ids of the host; others have subordinate ids of their own.
 */
@ApplicationScoped
public class HostUids {

  private static final Logger LOG = Logger.getLogger(HostUids.class);
  private static final Path BLOCKS = Path.of("/run/sandboxer/uids");
  private static final int MOST_BLOCKS = 10_000;

  private final UidRange leased;

  @Inject
  HostUids(Home home, Settings settings) {
    this(home.resolve("."), settings, BLOCKS, isRoot());
  }

  HostUids(Path home, Settings settings, Path blocks, boolean root) {
    this.leased =
        settings
            .ownUidRange()
            .orElseGet(() -> root ? block(blocks, home.normalize()) : UidRange.DEFAULT);
  }

  /**
   * Where ids are taken from.
   *
   * @return the operator's range, else this installation's block
   */
  public UidRange leased() {
    return leased;
  }

  /**
   * Whose sockets may be a sandbox's: also one that was made before this installation had its
   * block.
   *
   * @param uid owner of a socket
   * @return whether it is none of the host's accounts
   */
  public boolean sandboxes(int uid) {
    return uid >= Math.min(leased.first(), UidRange.DEFAULT.first()) && uid <= leased.last();
  }

  private static UidRange block(Path blocks, Path home) {
    try {
      Files.createDirectories(
          blocks,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
      try (FileChannel channel =
              FileChannel.open(
                  blocks.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        return UidRange.DEFAULT.block(claimed(blocks, home));
      }
    } catch (IOException e) {
      LOG.warnf(
          "user ids are not shared out with other installations on this host, because %s cannot be"
              + " used: %s; give each its own SANDBOXER_UID_RANGE",
          blocks, e);
      return UidRange.DEFAULT;
    }
  }

  private static int claimed(Path blocks, Path home) throws IOException {
    Map<Integer, String> owners = owners(blocks);
    for (Map.Entry<Integer, String> owner : owners.entrySet()) {
      if (owner.getValue().equals(home.toString())) {
        return owner.getKey();
      }
    }
    for (int block = 0; block < MOST_BLOCKS; block++) {
      String owner = owners.get(block);
      if (owner == null || Files.notExists(Path.of(owner))) {
        Files.writeString(blocks.resolve(Integer.toString(block)), home.toString());
        return block;
      }
    }
    throw new IOException("all of its " + MOST_BLOCKS + " blocks are taken");
  }

  private static Map<Integer, String> owners(Path blocks) throws IOException {
    Map<Integer, String> owners = new HashMap<>();
    try (Stream<Path> files = Files.list(blocks)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().matches("\\d{1,5}")) {
          owners.put(Integer.valueOf(file.getFileName().toString()), Files.readString(file));
        }
      }
    }
    return owners;
  }

  private static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return false;
    }
  }
}
