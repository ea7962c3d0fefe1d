package dev.sandboxer.sink.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/**
 * A file that this process alone writes. Not a channel: an interrupt of a thread would close that
 * for all.
 */
final class OpenFile implements AutoCloseable {

  private static final int STEP = 8192;

  private final Path path;
  private final RandomAccessFile file;
  private final Object key;
  private long length;
  private boolean sound = true;

  private OpenFile(Path path, RandomAccessFile file, Object key, long length) {
    this.path = path;
    this.file = file;
    this.key = key;
    this.length = length;
  }

  /**
   * Opens or makes a file, and cuts off a line that a crash left unfinished: its event comes again.
   *
   * @throws IOException if it cannot be opened, or another process writes it
   */
  static OpenFile of(Path path) throws IOException {
    create(path);
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      lock(path, file);
      long whole = wholeLines(file);
      file.setLength(whole);
      file.seek(whole);
      return new OpenFile(path, file, key(path), whole);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private static void create(Path path) throws IOException {
    if (Files.notExists(path)) {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
      Folders.force(path);
    } else if (!Files.isRegularFile(path)) {
      throw new IOException("it is no ordinary file");
    }
  }

  /** Held until the file is closed. */
  private static void lock(Path path, RandomAccessFile file) throws IOException {
    try {
      FileLock lock = file.getChannel().tryLock();
      if (lock != null) {
        return;
      }
    } catch (OverlappingFileLockException e) {
      // told below: another sink of this process has it
    }
    throw new IOException(path + " is written by another sink or process");
  }

  private static long wholeLines(RandomAccessFile file) throws IOException {
    byte[] bytes = new byte[STEP];
    long end = file.length();
    while (end > 0) {
      int size = (int) Math.min(STEP, end);
      file.seek(end - size);
      file.readFully(bytes, 0, size);
      for (int i = size - 1; i >= 0; i--) {
        if (bytes[i] == '\n') {
          return end - size + i + 1;
        }
      }
      end -= size;
    }
    return 0;
  }

  private static Object key(Path path) throws IOException {
    return Objects.requireNonNull(
        Files.readAttributes(path, BasicFileAttributes.class).fileKey(), "inode");
  }

  long length() {
    return length;
  }

  /** Whether it ends with a whole line and its path leads to it: others may have moved it away. */
  boolean inPlace() throws IOException {
    try {
      return sound && Files.exists(path, LinkOption.NOFOLLOW_LINKS) && key(path).equals(key);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** All or nothing: what a full disk cut off is taken back. */
  void write(byte[] bytes) throws IOException {
    try {
      file.write(bytes);
      length += bytes.length;
    } catch (IOException e) {
      sound = false;
      file.setLength(length);
      file.seek(length);
      sound = true;
      throw e;
    }
  }

  void force() throws IOException {
    file.getFD().sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
