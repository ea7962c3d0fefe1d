package dev.sandboxer.sink.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A file that holds whole lines only, also after a crash or on a full disk. Safe for use by several
 * threads; those that wait for the disk at the same time wait together.
 */
final class EventFile implements AutoCloseable {

  private final FileSettings settings;
  private final Object disk = new Object();
  private volatile @Nullable OpenFile open;

  /** Bytes that were ever written, and of these the ones that the disk has. */
  private volatile long written;

  private long safe;

  /** Opens nothing yet: the folder may come later. */
  EventFile(FileSettings settings) {
    this.settings = settings;
  }

  /**
   * Appends a line.
   *
   * @param line without its end
   * @throws IOException if it is not in the file, or perhaps not; the file then still ends with a
   *     whole line
   */
  void append(String line) throws IOException {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    long end;
    synchronized (this) {
      OpenFile file = usable(bytes.length);
      file.write(bytes);
      end = written + bytes.length;
      written = end;
    }
    if (settings.fsync()) {
      force(end);
    }
  }

  private OpenFile usable(int more) throws IOException {
    OpenFile file = open;
    if (file != null && !file.inPlace()) {
      leave(file);
      file = null;
    }
    if (file == null) {
      file = OpenFile.of(settings.path());
      open = file;
    }
    if (file.length() > 0 && file.length() + more > settings.rotateBytes()) {
      leave(file);
      new Rotation(settings).rotate();
      file = OpenFile.of(settings.path());
      open = file;
    }
    return file;
  }

  /** What is in a file that nobody writes any more is safe first. */
  private void leave(OpenFile file) throws IOException {
    force(written);
    open = null;
    file.close();
  }

  /** One call makes all safe that was written before it began. */
  private void force(long end) throws IOException {
    synchronized (disk) {
      OpenFile file = open;
      if (safe < end && file != null) {
        long before = written;
        file.force();
        safe = before;
      }
    }
  }

  @Override
  public synchronized void close() {
    OpenFile file = open;
    if (file != null) {
      try {
        leave(file);
      } catch (IOException e) {
        // what was told to be delivered is safe already
      }
    }
  }

  @Override
  public String toString() {
    return settings.path().toString();
  }
}
