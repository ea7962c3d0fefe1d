package dev.sandboxer.platform.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What tells without reading that a file was written, replaced, added or removed.
 *
 * @param files path to inode, size and times of change
 */
record FolderState(Map<Path, String> files) {

  static FolderState of(List<Path> folders) {
    Map<Path, String> files = new TreeMap<>();
    folders.forEach(folder -> add(files, folder));
    return new FolderState(files);
  }

  private static void add(Map<Path, String> files, Path folder) {
    try (Stream<Path> found = Files.list(folder)) {
      found.filter(ProfileFile::isYaml).forEach(file -> files.put(file, state(file)));
    } catch (NoSuchFileException e) {
      // A folder that is not there has no files.
    } catch (IOException e) {
      files.put(folder, String.valueOf(e.getMessage()));
    }
  }

  private static String state(Path file) {
    try {
      return Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime").toString();
    } catch (IOException e) {
      return "unreadable"; // gone between the list and the look, or a link to nothing
    }
  }
}
