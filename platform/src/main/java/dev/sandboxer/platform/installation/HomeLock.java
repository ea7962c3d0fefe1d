package dev.sandboxer.platform.installation;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Says that this process alone uses a home. The kernel gives it up when the process ends, however
 * that happens.
 */
public final class HomeLock implements AutoCloseable {

  private final FileChannel channel;
  private final Path pidFile;

  private HomeLock(FileChannel channel, Path pidFile) {
    this.channel = channel;
    this.pidFile = pidFile;
  }

  /**
   * Takes the lock and writes {@code run/platform.pid}: process id and start time in clock ticks
   * since boot, separated by a space. The address of a platform that was killed is removed first:
   * the command line trusts the file {@code url} while this process lives.
   *
   * @param home to lock
   * @return the lock, to keep until the end
   * @throws StartupException naming the process that holds it
   */
  public static HomeLock take(Home home) {
    Path pidFile = home.run().resolve("platform.pid");
    try {
      FileChannel channel = open(home.run().resolve("lock"));
      if (!locked(channel)) {
        channel.close();
        throw held(home, pidFile);
      }
      home.remove("url");
      Files.writeString(pidFile, ownProcess() + "\n");
      return new HomeLock(channel, pidFile);
    } catch (IOException e) {
      throw new StartupException("home %s cannot be locked: %s".formatted(home.root(), e), e);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      @Nullable FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static StartupException held(Home home, Path pidFile) throws IOException {
    String holder = Files.exists(pidFile) ? Files.readString(pidFile).strip() : "unknown";
    return new StartupException(
        "home %s is in use by the platform with process id %s: stop that one first, or set SANDBOXER_HOME to another folder"
            .formatted(home.root(), holder.replaceFirst(" .*", "")));
  }

  private static String ownProcess() throws IOException {
    long pid = ProcessHandle.current().pid();
    return pid + " " + startTicks(Files.readString(Path.of("/proc/self/stat")));
  }

  private static String startTicks(String stat) {
    // The name in parentheses may hold spaces; field 22 is the 20th after it.
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
  }

  /** Gives the home free. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(pidFile);
      channel.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
