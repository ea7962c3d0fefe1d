package dev.sandboxer.ext.compose.project;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes an archive as GNU tar reads it, in memory. Owner and time are nobody's. */
final class Tar {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar =
      new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());

  Tar() {
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
  }

  void folder(String name, int mode) {
    put(new TarArchiveEntry(name + "/", TarConstants.LF_DIR), mode, new byte[0]);
  }

  void link(String name, String target) {
    TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
    entry.setLinkName(target);
    put(entry, 0777, new byte[0]);
  }

  void file(String name, int mode, byte[] content) {
    put(new TarArchiveEntry(name, TarConstants.LF_NORMAL), mode, content);
  }

  private void put(TarArchiveEntry entry, int mode, byte[] content) {
    entry.setMode(mode);
    entry.setNames("", "");
    entry.setModTime(0L);
    entry.setSize(content.length);
    try {
      tar.putArchiveEntry(entry);
      tar.write(content);
      tar.closeArchiveEntry();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] end() {
    try {
      tar.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
