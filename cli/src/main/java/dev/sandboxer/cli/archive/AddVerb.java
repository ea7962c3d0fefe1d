package dev.sandboxer.cli.archive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.dataplane.archive.Packer;
import dev.sandboxer.dataplane.archive.Tally;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Uploads an archive. */
@Command(
    name = "add",
    description =
        "Upload a tar, a tar.gz or a folder, and print its digest. It is kept for a day, and as long"
            + " as a sandbox has it.",
    footer = {
      "",
      "For example: sandboxer archive add .",
      "then: sandboxer create --profile PROFILE --input project=DIGEST"
    })
final class AddVerb extends Verb {
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final long MOST_BYTES = 64L << 20;

  @Parameters(paramLabel = "PATH", description = "The file, or the folder to pack.")
  private Path path = Path.of("");

  AddVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      JsonNode archive = Files.isDirectory(path) ? folder() : upload(path);
      if (json()) {
        print(archive);
      } else {
        context().console().result(ArchivePath.digest(archive));
      }
      return ExitCode.OK;
    } catch (NoSuchFileException e) {
      throw Failure.usage("there is no file " + path);
    } catch (IOException e) {
      throw Failure.usage(path + " cannot be read: " + e.getMessage());
    }
  }

  private JsonNode folder() throws IOException, InterruptedException {
    Path packed = Files.createTempFile("sandboxer", ".tar.gz");
    try {
      Tally tally;
      try (OutputStream out = new GZIPOutputStream(new Bounded(Files.newOutputStream(packed)))) {
        tally = new Packer().pack(path, out);
      }
      JsonNode archive = upload(packed);
      context()
          .console()
          .tell(
              "packed %s, files and links: %d"
                  .formatted(Spans.bytes(tally.bytes()), tally.files()));
      for (String left : tally.skipped()) {
        context().console().tell(Escapes.visible("left out: " + left));
      }
      return archive;
    } finally {
      Files.deleteIfExists(packed);
    }
  }

  private JsonNode upload(Path file) throws IOException, InterruptedException {
    if (Files.size(file) > MOST_BYTES) {
      throw tooLarge();
    }
    return context()
        .api()
        .waiting(LONGEST)
        .upload(ArchivePath.ALL + "?digest=" + digest(file), file);
  }

  private static String digest(Path file) throws IOException {
    try (DigestInputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      var _ = in.transferTo(OutputStream.nullOutputStream());
      return "sha256:" + HexFormat.of().formatHex(in.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static Failure tooLarge() {
    return Failure.usage("an archive has at most 64 MiB: leave files out");
  }

  /** So that nobody packs a whole disk by mistake. */
  private static final class Bounded extends FilterOutputStream {
    private long left = MOST_BYTES;

    Bounded(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      left -= count;
      if (left < 0) {
        throw tooLarge();
      }
      out.write(bytes, from, count);
    }
  }
}
