package dev.sandboxer.ext.compose;

import dev.sandboxer.spi.Archive;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** An archive as a caller may upload it. */
final class TestTar {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

  TestTar file(String name, String text) throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
    entry.setSize(content.length);
    tar.putArchiveEntry(entry);
    tar.write(content);
    tar.closeArchiveEntry();
    return this;
  }

  TestTar folder(String name) throws IOException {
    return of(name, TarConstants.LF_DIR);
  }

  TestTar link(String name, String target) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK, true);
    entry.setLinkName(target);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
    return this;
  }

  TestTar of(String name, byte type) throws IOException {
    tar.putArchiveEntry(new TarArchiveEntry(name, type, true));
    tar.closeArchiveEntry();
    return this;
  }

  void zeros(String name, byte type, int size) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
    entry.setSize(size);
    tar.putArchiveEntry(entry);
    tar.write(new byte[size]);
    tar.closeArchiveEntry();
  }

  Archive plain() throws IOException {
    tar.close();
    return () -> new ByteArrayInputStream(bytes.toByteArray());
  }

  Archive packed() throws IOException {
    tar.close();
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      bytes.writeTo(out);
    }
    return () -> new ByteArrayInputStream(packed.toByteArray());
  }
}
