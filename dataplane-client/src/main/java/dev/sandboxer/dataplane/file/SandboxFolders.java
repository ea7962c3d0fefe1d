package dev.sandboxer.dataplane.file;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.CopyFailed;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneCalls;
import dev.sandboxer.dataplane.archive.Packer;
import dev.sandboxer.dataplane.archive.Tally;
import dev.sandboxer.dataplane.archive.Unpacker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Whole folders into a sandbox and out of it, as one archive. Each call throws {@link CallRefused}
 * when the sandbox refuses it and {@link ConnectionLost} when there was no answer. Safe for use by
 * several threads.
 */
public final class SandboxFolders {
  private static final int PIPE = 256 * 1024;
  private static final long MOST_BYTES = 16L << 30;
  private static final int MOST_ENTRIES = 1_000_000;

  private final DataplaneCalls calls;

  /** Folders of one sandbox. */
  public SandboxFolders(Dataplane dataplane) {
    this.calls = new DataplaneCalls(dataplane);
  }

  /**
   * Puts the contents of a folder into a folder inside, which is made where it is not there.
   *
   * @param folder on this machine
   * @param path inside
   * @return what was sent, and what was left out because it is no file or leads out of the folder
   * @throws CopyFailed when the folder cannot be read; a part may have been taken then
   */
  public Tally upload(Path folder, String path, Progress progress) throws InterruptedException {
    CompletableFuture<Tally> packed = new CompletableFuture<>();
    try (PipedInputStream source = new PipedInputStream(PIPE)) {
      PipedOutputStream sink = new PipedOutputStream(source);
      Thread.ofPlatform().daemon().name("pack").start(() -> pack(folder, sink, packed));
      InputStream watched = progress.watch(source);
      var _ =
          calls.send(
              calls
                  .request(Routes.of("upload", path, "&extract=tar&parents=true"))
                  .header("Content-Type", "application/x-tar")
                  .POST(BodyPublishers.ofInputStream(() -> watched))
                  .build());
      return packed.join();
    } catch (IOException e) {
      throw new CopyFailed("copying " + folder + " in failed: " + e.getMessage(), e);
    } catch (CompletionException e) {
      throw new CopyFailed("copying " + folder + " in failed: " + cause(e), e);
    }
  }

  /**
   * A failure is reported through {@code packed}: the sandbox may have taken the part before it.
   */
  private static void pack(Path folder, PipedOutputStream sink, CompletableFuture<Tally> packed) {
    try (sink) {
      packed.complete(new Packer().pack(folder, sink));
    } catch (IOException | RuntimeException e) {
      packed.completeExceptionally(e);
    }
  }

  /**
   * Brings the contents of a folder inside beneath a folder of this machine, which is made where it
   * is not there. What the sandbox sends is unpacked with care: see {@link Unpacker}. At most a
   * million files with 16 GiB together.
   *
   * @param path inside
   * @param folder on this machine
   * @return what came, and what was left out because it is no file or leads out of the folder
   * @throws CopyFailed when the sandbox sends something unsafe, the folder cannot be written, or
   *     the connection broke after the answer began; what came before is there
   */
  public Tally download(String path, Path folder, Progress progress) throws InterruptedException {
    try (InputStream body = openTar(path)) {
      Files.createDirectories(folder);
      return new Unpacker(folder, MOST_BYTES, MOST_ENTRIES).unpack(progress.watch(body));
    } catch (IOException e) {
      throw new CopyFailed(
          "bringing files out to "
              + folder
              + " failed: "
              + reason(e)
              + "; what came before is there",
          e);
    }
  }

  /**
   * A folder's contents as tar, as the sandbox sends them: hostile until unpacked with care.
   *
   * @return how many bytes were written to {@code to}
   * @throws IOException when {@code to} cannot be written, or the connection broke after the answer
   *     began; a part was written then
   */
  public long downloadTar(String path, OutputStream to, Progress progress)
      throws IOException, InterruptedException {
    try (InputStream body = openTar(path)) {
      return progress.watch(body).transferTo(to);
    }
  }

  private InputStream openTar(String path) throws InterruptedException {
    return calls.open(calls.request(Routes.of("download", path, "&archive=tar")).GET().build());
  }

  /** The HTTP client's own words for a connection that ended too early say nothing to a person. */
  private static String reason(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.equals("closed") || message.startsWith("chunked transfer encoding")
        ? "the sandbox broke off, as it does at a file that it cannot read to its end"
        : message;
  }

  private static String cause(CompletionException e) {
    return e.getCause() == null
        ? String.valueOf(e.getMessage())
        : String.valueOf(e.getCause().getMessage());
  }
}
