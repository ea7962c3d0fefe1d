package dev.sandboxer.ext.compose.project;

import dev.sandboxer.ext.compose.project.ProjectFiles.Entry;
import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/** Reads the files of a project from a tar or tar.gz, which may be anything. */
final class ProjectArchive {

  private static final int MOST_BYTES = 64 << 20;
  private static final int MOST_FILES = 10_000;
  private static final int MOST_NAME = 1024;

  /** What a small archive may be once it is unpacked, heads and long names included. */
  private static final long MOST_UNPACKED = MOST_BYTES + 4096L * MOST_FILES;

  private static final int GZIP = 0x1f8b;

  private static final Pattern PLAIN_LINK =
      Pattern.compile("(\\.\\./)*(\\.\\.|(?!.*(^|/)\\.\\.(/|$)).*)");

  private final Map<String, Entry> entries = new TreeMap<>();
  private long bytes;

  private ProjectArchive() {}

  /**
   * Reads it.
   *
   * @return files, links and folders by their paths
   * @throws ExtensionException VALIDATION if it is no archive, too large, or has what no project
   *     may have; UNAVAILABLE if its bytes cannot be had
   */
  static Map<String, Entry> read(Archive archive) throws ExtensionException {
    ProjectArchive read = new ProjectArchive();
    try (InputStream in = archive.open()) {
      Source source = new Source(in);
      try (InputStream unpacked = unpacked(source)) {
        read.all(new TarArchiveInputStream(unpacked, StandardCharsets.UTF_8.name()));
        // To the checksum, which shows whether all of it is there.
        unpacked.transferTo(OutputStream.nullOutputStream());
      } catch (IOException | IllegalArgumentException e) {
        source.check();
        throw ProjectOptions.wrong("options.project is no tar or tar.gz: " + e.getMessage());
      }
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.NOTHING_CREATED,
          "the archive of options.project cannot be read: " + e.getMessage(),
          e);
    }
    return read.entries;
  }

  private static InputStream unpacked(InputStream source) throws IOException {
    BufferedInputStream in = new BufferedInputStream(source);
    in.mark(2);
    int magic = in.read() << 8 | in.read();
    in.reset();
    return new Bounded(magic == GZIP ? new GZIPInputStream(in) : in);
  }

  private void all(TarArchiveInputStream tar) throws IOException, ExtensionException {
    for (@Nullable TarArchiveEntry entry = tar.getNextEntry();
        entry != null;
        entry = tar.getNextEntry()) {
      String name = name(entry);
      if (!name.isEmpty()) {
        add(name, entry(name, entry, tar));
      }
    }
    if (entries.isEmpty()) {
      throw ProjectOptions.wrong("options.project is no tar or tar.gz, or is empty");
    }
  }

  /** Its path in the project; empty for the project itself. */
  private static String name(TarArchiveEntry entry) throws ExtensionException {
    String name = entry.getName().replaceFirst("^(\\./+)+", "").replaceFirst("/+$", "");
    if (name.isEmpty() || name.equals(".")) {
      return "";
    }
    if (name.length() > MOST_NAME || !ProjectOptions.isInside(name)) {
      throw ProjectOptions.wrong(
          "options.project: '%s' is not a path within the project"
              .formatted(name.substring(0, Math.min(name.length(), MOST_NAME))));
    }
    return name;
  }

  private Entry entry(String name, TarArchiveEntry entry, TarArchiveInputStream tar)
      throws IOException, ExtensionException {
    if (entry.isDirectory()) {
      return new Entry(new byte[0], null, true, false);
    }
    if (entry.isSymbolicLink()) {
      return new Entry(new byte[0], target(name, entry.getLinkName()), false, false);
    }
    boolean plain =
        entry.getLinkFlag() == TarConstants.LF_NORMAL
            || entry.getLinkFlag() == TarConstants.LF_OLDNORM;
    if (!plain || entry.isSparse()) {
      throw ProjectOptions.wrong(
          "options.project: %s is neither a plain file, a folder nor a symbolic link"
              .formatted(name));
    }
    if (entry.getSize() > MOST_BYTES - bytes) {
      throw tooMuch();
    }
    byte[] content = tar.readNBytes((int) entry.getSize());
    bytes += content.length;
    return new Entry(content, null, false, (entry.getMode() & 0100) != 0);
  }

  private static String target(String name, String target) throws ExtensionException {
    // What climbs after it went through a folder may have gone through a link.
    if (target.startsWith("/")
        || target.indexOf('\0') >= 0
        || !PLAIN_LINK.matcher(target).matches()
        || !Path.of("/p/" + name).resolveSibling(target).normalize().startsWith("/p")) {
      throw ProjectOptions.wrong(
          "options.project: %s is a link to %s, outside of the project".formatted(name, target));
    }
    return target;
  }

  private void add(String name, Entry entry) throws ExtensionException {
    @Nullable Entry before = entries.put(name, entry);
    if (before != null && !(before.folder() && entry.folder())) {
      throw ProjectOptions.wrong("options.project has %s twice".formatted(name));
    }
    if (entries.size() > MOST_FILES) {
      throw tooMuch();
    }
  }

  private static ExtensionException tooMuch() {
    return ProjectOptions.wrong(
        "options.project: a project has at most %d MiB and %d files"
            .formatted(MOST_BYTES >> 20, MOST_FILES));
  }

  /** The platform's bytes: that they cannot be had is no mistake of the archive. */
  private static final class Source extends FilterInputStream {

    private @Nullable IOException failed;

    Source(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      try {
        return super.read(into, from, most);
      } catch (IOException e) {
        failed = e;
        throw e;
      }
    }

    void check() throws IOException {
      if (failed != null) {
        throw failed;
      }
    }
  }

  /** Ends what unpacks without end. */
  private static final class Bounded extends FilterInputStream {

    private long left = MOST_UNPACKED;

    Bounded(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      int read = super.read(into, from, most);
      left -= Math.max(0, read);
      return checked(read);
    }

    @Override
    public long skip(long count) throws IOException {
      long skipped = super.skip(count);
      left -= skipped;
      return checked(skipped);
    }

    private <T> T checked(T count) throws IOException {
      if (left < 0) {
        throw new IOException("it unpacks to more than %d MiB".formatted(MOST_UNPACKED >> 20));
      }
      return count;
    }
  }
}
