package dev.sandboxer.platform.setup;

import dev.sandboxer.platform.copy.HostCopies;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * The layers of this node: a folder each, named by its key, that sandboxes mount read-only. A layer
 * is whole or absent. Beyond the limit the least recently used are removed, but none that a sandbox
 * may have mounted.
 */
@ApplicationScoped
public class SetupLayers {

  private static final Logger LOG = Logger.getLogger(SetupLayers.class);
  private static final int DEFAULT_MIB = 10_240;
  private static final int MOST_MIB = 16_777_216;
  private static final String FILES = "files";

  /** Its content is the layer's size, and its time when the layer was last used. */
  private static final String SIZE = "bytes";

  /** Begins the names of folders that are being filled or removed. */
  private static final String PARTIAL = ".";

  private final Path root;
  private final HostCopies copies;
  private final Clock clock;
  private final long mostBytes;
  private final AtomicLong bytes = new AtomicLong();

  SetupLayers(
      Home home, HostCopies copies, Clock clock, Settings settings, MeterRegistry registry) {
    this.root = home.resolve("setup");
    this.copies = copies;
    this.clock = clock;
    this.mostBytes =
        (long) settings.number(Setting.SANDBOXER_SETUP_CACHE_MIB, DEFAULT_MIB, MOST_MIB) << 20;
    Gauge.builder("sandboxer.setup.bytes", bytes, AtomicLong::doubleValue)
        .description("What the setup steps of profiles have made and this node keeps")
        .baseUnit("bytes")
        .register(registry);
  }

  /** Removes what a process that was killed has left: a home belongs to one process at a time. */
  public void start() {
    try (Stream<Path> all = Files.list(root)) {
      for (Path one : all.toList()) {
        if (one.getFileName().toString().startsWith(PARTIAL)) {
          delete(one);
        }
      }
      bytes.set(layers().stream().mapToLong(Layer::size).sum());
    } catch (IOException e) {
      LOG.warnf("what earlier setups left is not all removed reason=%s", e);
    }
  }

  /**
   * Finds a layer, which counts as used by this.
   *
   * @param key of the layer
   * @return its folder; empty if this node does not have it
   * @throws IOException if that cannot be found out
   */
  public Optional<Path> find(String key) throws IOException {
    Path size = folder(key).resolveSibling(SIZE);
    if (!Files.exists(size)) {
      return Optional.empty();
    }
    Files.setLastModifiedTime(size, FileTime.from(clock.instant()));
    return Optional.of(folder(key));
  }

  /**
   * Where a layer is, if it is there.
   *
   * @param key of the layer
   * @return its folder
   */
  public Path folder(String key) {
    return root.resolve(key).resolve(FILES);
  }

  /**
   * Keeps what a sandbox has made.
   *
   * @param key of the layer
   * @param mostBytes of its files
   * @param writer gives the sandbox's archive
   * @return bytes of its files
   * @throws IOException if the archive is cut off or too large, or there is no room for it
   * @throws InterruptedException if the thread is interrupted
   */
  public <E extends Exception> long save(String key, long mostBytes, HostCopies.Writer<E> writer)
      throws IOException, InterruptedException, E {
    Path fresh = Files.createTempDirectory(root, PARTIAL + key);
    try {
      Path files = fresh.resolve(FILES);
      Files.createDirectory(files);
      Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxr-xr-x"));
      long size = copies.unpack(files.toString(), mostBytes, writer).bytes();
      Files.writeString(fresh.resolve(SIZE), String.valueOf(size));
      Files.move(fresh, root.resolve(key), StandardCopyOption.ATOMIC_MOVE);
      bytes.addAndGet(size);
      return size;
    } finally {
      if (Files.exists(fresh)) {
        delete(fresh);
      }
    }
  }

  /**
   * Removes layers until what is left is within the limit of this node.
   *
   * @param used keys of those that are mounted, or going to be
   */
  public void sweep(Set<String> used) {
    try {
      List<Layer> all = layers();
      long left = all.stream().mapToLong(Layer::size).sum();
      for (Layer layer : all) {
        if (left > mostBytes && !used.contains(layer.key())) {
          LOG.infof("setup layer removed key=%s bytes=%d", layer.key(), layer.size());
          Path gone = root.resolve(PARTIAL + layer.key());
          Files.move(root.resolve(layer.key()), gone, StandardCopyOption.ATOMIC_MOVE);
          delete(gone);
          left -= layer.size();
        }
      }
      bytes.set(left);
    } catch (IOException e) {
      LOG.warnf("setup layers could not be removed reason=%s", e);
    }
  }

  /**
   * Identifies a folder in the same form as boxd identifies a mount of it.
   *
   * @param folder of a layer
   * @return {@code device:inode}
   * @throws IOException if it cannot be looked at
   */
  public static String identity(Path folder) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(folder, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    return number(facts, "dev") + ":" + number(facts, "ino");
  }

  private static String number(Map<String, Object> facts, String name) {
    return Long.toUnsignedString((Long) Objects.requireNonNull(facts.get(name)));
  }

  private record Layer(String key, long size, FileTime used) {}

  /** The longest unused first. */
  private List<Layer> layers() throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.filter(one -> Files.exists(one.resolve(SIZE)))
          .filter(one -> !one.getFileName().toString().startsWith(PARTIAL))
          .map(SetupLayers::layer)
          .sorted(Comparator.comparing(Layer::used))
          .toList();
    }
  }

  /** A size that cannot be read is none: the layer is then removed with the others, by its age. */
  private static Layer layer(Path folder) {
    String key = folder.getFileName().toString();
    try {
      Path size = folder.resolve(SIZE);
      return new Layer(
          key, Long.parseLong(Files.readString(size).strip()), Files.getLastModifiedTime(size));
    } catch (IOException | NumberFormatException e) {
      return new Layer(key, 0, FileTime.fromMillis(0));
    }
  }

  /** Links are removed and never followed. */
  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes facts)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path done, IOException failure)
              throws IOException {
            Files.delete(done);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
