package dev.sandboxer.platform.copy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.extension.BoxdBinaries;
import dev.sandboxer.platform.installation.Home;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Packs folders of this machine and merges into them what sandboxes made of them, by {@code boxd
 * copies}: its file access follows no link out of the folder, whoever changes the folder meanwhile.
 */
@ApplicationScoped
public class HostCopies {

  private static final Logger LOG = Logger.getLogger(HostCopies.class);

  /** Bytes of one folder, in each direction. */
  public static final long MOST_BYTES = 10L << 30;

  /** Files, folders and links of one folder, in each direction. */
  public static final int MOST_ENTRIES = 100_000;

  private static final int MAX_MESSAGE = 4096;
  private static final int MAX_REPORT = 1 << 20;

  private final BoxdBinaries binaries;
  private final Home home;
  private final ObjectMapper json;

  HostCopies(BoxdBinaries binaries, Home home, ObjectMapper json) {
    this.binaries = binaries;
    this.home = home;
    this.json = json;
  }

  /** Removes what a process that was killed has left: a home belongs to one process at a time. */
  public void start() {
    try (Stream<Path> left = Files.list(folder())) {
      for (Path record : left.toList()) {
        Files.delete(record);
      }
    } catch (IOException e) {
      LOG.warnf("records of earlier copies are not all removed reason=%s", e);
    }
  }

  /** Takes an archive. */
  @FunctionalInterface
  public interface Reader<E extends Exception> {
    /**
     * Reads it to its end.
     *
     * @param tar the archive
     * @throws IOException if it cannot be read
     * @throws InterruptedException if the thread is interrupted
     * @throws E as its user needs it
     */
    void read(InputStream tar) throws IOException, InterruptedException, E;
  }

  /** Gives an archive. */
  @FunctionalInterface
  public interface Writer<E extends Exception> {
    /**
     * Writes it to its end.
     *
     * @param tar gets the archive
     * @return false if there is none; what was written is then not looked at
     * @throws IOException if it cannot be written
     * @throws InterruptedException if the thread is interrupted
     * @throws E as its user needs it
     */
    boolean write(OutputStream tar) throws IOException, InterruptedException, E;
  }

  /**
   * What a merge did.
   *
   * @param report for people
   * @param record what both sides have now
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  public record Merged(CopyReport report, byte[] record) {}

  /**
   * Packs a folder.
   *
   * @param folder of this machine, checked
   * @param reader takes the archive
   * @return the record of what was packed, for {@link #merge}
   * @throws IOException if the folder cannot be read or is too large; for a person
   * @throws InterruptedException if the thread is interrupted
   */
  public <E extends Exception> byte[] pack(String folder, Reader<E> reader)
      throws IOException, InterruptedException, E {
    Path record = temporary();
    Process process = start(MOST_BYTES, "pack", "--root", folder, "--record", record.toString());
    try {
      process.getOutputStream().close();
      reader.read(new WholeOutput(process));
      await(process);
      return Files.readAllBytes(record);
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(record);
    }
  }

  /**
   * Merges what a sandbox has into a folder. It can be made again after any failure.
   *
   * @param folder of this machine, checked
   * @param record of the last time both sides were the same
   * @param mark ends the names of what is kept beside a file of the host, such as {@code .sb_1}
   * @param writer gives the sandbox's archive
   * @return what was done; {@link CopyReport#FOLDER_GONE} with the same record if there is no
   *     archive
   * @throws IOException if the folder cannot be written, or the archive is too large or cut off
   * @throws InterruptedException if the thread is interrupted
   */
  public <E extends Exception> Merged merge(
      String folder, byte[] record, String mark, Writer<E> writer)
      throws IOException, InterruptedException, E {
    Path before = temporary();
    Path after = temporary();
    try {
      Files.write(before, record);
      Process process =
          start(
              MOST_BYTES,
              "merge",
              "--root",
              folder,
              "--before",
              before.toString(),
              "--after",
              after.toString(),
              "--mark",
              mark);
      try {
        Optional<byte[]> report = written(process, writer);
        return report.isEmpty()
            ? new Merged(CopyReport.FOLDER_GONE, record)
            : new Merged(json.readValue(report.get(), CopyReport.class), Files.readAllBytes(after));
      } finally {
        process.destroyForcibly();
      }
    } finally {
      Files.deleteIfExists(before);
      Files.deleteIfExists(after);
    }
  }

  /**
   * Fills an empty folder with what a sandbox has, for every other sandbox to read: files get the
   * mode 644 or 755, and links may lead anywhere.
   *
   * @param folder of this machine, empty
   * @param mostBytes of its files: a sparse one may say more than its sandbox could hold
   * @param writer gives the sandbox's archive
   * @return what was written; nothing if there is no archive
   * @throws IOException if the folder cannot be written, or the archive is too large or cut off
   * @throws InterruptedException if the thread is interrupted
   */
  public <E extends Exception> CopyReport unpack(String folder, long mostBytes, Writer<E> writer)
      throws IOException, InterruptedException, E {
    Process process = start(mostBytes, "unpack", "--root", folder);
    try {
      Optional<byte[]> report = written(process, writer);
      return report.isEmpty()
          ? CopyReport.FOLDER_GONE
          : json.readValue(report.get(), CopyReport.class);
    } finally {
      process.destroyForcibly();
    }
  }

  /** The report on an archive that was written to a process; empty if there is no archive. */
  private static <E extends Exception> Optional<byte[]> written(Process process, Writer<E> writer)
      throws IOException, InterruptedException, E {
    boolean there;
    try (OutputStream tar = process.getOutputStream()) {
      there = writer.write(tar);
      if (!there) {
        process.destroyForcibly(); // before it sees an end
      }
    } catch (IOException e) {
      await(process); // says better why it reads no more
      throw e;
    }
    if (!there) {
      return Optional.empty();
    }
    byte[] report = process.getInputStream().readNBytes(MAX_REPORT);
    await(process);
    return Optional.of(report);
  }

  private Path temporary() throws IOException {
    return Files.createTempFile(folder(), "record", "");
  }

  private Path folder() {
    return home.resolve("copies");
  }

  private Process start(long mostBytes, String verb, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(binaries.ofThisMachine().toString(), "copies"));
    command.add(verb);
    command.addAll(List.of(options));
    command.addAll(List.of("--most-bytes", String.valueOf(mostBytes)));
    command.addAll(List.of("--most-entries", String.valueOf(MOST_ENTRIES)));
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.clear();
    return builder.start();
  }

  /** Ends only if the process has succeeded: half an archive must not look whole. */
  private static final class WholeOutput extends FilterInputStream {

    private final Process process;

    WholeOutput(Process process) {
      super(process.getInputStream());
      this.process = process;
    }

    @Override
    public int read() throws IOException {
      return checked(super.read());
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      return checked(super.read(into, from, most));
    }

    private int checked(int read) throws IOException {
      if (read < 0) {
        try {
          await(process);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted");
        }
      }
      return read;
    }
  }

  private static void await(Process process) throws IOException, InterruptedException {
    String message =
        new String(process.getErrorStream().readNBytes(MAX_MESSAGE), StandardCharsets.UTF_8)
            .strip();
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IOException(message.isEmpty() ? "boxd copies ended with " + exit : message);
    }
  }
}
