package dev.sandboxer.sink.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * What the disk knows of a folder: a new or renamed file is there after a crash only if told so.
 */
final class Folders {

  private Folders() {}

  static void force(Path file) throws IOException {
    Path folder = Objects.requireNonNull(file.getParent(), "folder");
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
