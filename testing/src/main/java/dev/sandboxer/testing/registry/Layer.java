package dev.sandboxer.testing.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** A layer of an image, as the archive that is being written: entries stand in it as they come. */
public final class Layer {

  private static final int PROGRAM = 0100755;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream archive = new TarArchiveOutputStream(bytes);

  public Layer() {
    archive.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    archive.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
  }

  public static Layer with(String name, String content) {
    return new Layer().file(name, content);
  }

  public Layer file(String name, String content) {
    return add(new TarArchiveEntry(name), content.getBytes(UTF_8));
  }

  public Layer program(String name, byte[] content) {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(PROGRAM);
    return add(entry, content);
  }

  public Layer folder(String name) {
    return add(new TarArchiveEntry(name.endsWith("/") ? name : name + "/"), new byte[0]);
  }

  /** What it points at is written as it is, wherever that leads. */
  public Layer link(String name, String target) {
    return linked(name, target, TarConstants.LF_SYMLINK);
  }

  public Layer hardLink(String name, String target) {
    return linked(name, target, TarConstants.LF_LINK);
  }

  /** What the layers below have under this name is gone. */
  public Layer without(String name) {
    int parent = name.lastIndexOf('/') + 1;
    return file(name.substring(0, parent) + ".wh." + name.substring(parent), "");
  }

  private Layer linked(String name, String target, byte kind) {
    TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
    entry.setLinkName(target);
    return add(entry, new byte[0]);
  }

  /** Any entry at all; names are kept as the entry has them. */
  public Layer add(TarArchiveEntry entry, byte[] content) {
    entry.setSize(content.length);
    try {
      archive.putArchiveEntry(entry);
      archive.write(content);
      archive.closeArchiveEntry();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** The archive; nothing can be added any more. */
  byte[] tar() {
    try {
      archive.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static byte[] gzip(byte[] content) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }
}
