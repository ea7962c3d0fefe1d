package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** An image on its way, for all who wait for it. It is given up once nobody does. */
final class ImageFetch {

  static final String STEP = "image_pull";

  private final String image;
  private final Start start;
  private final Set<Call> waiting = new HashSet<>();
  private final CompletableFuture<Path> result = new CompletableFuture<>();
  private boolean begun;
  private @Nullable ImageProgram program;

  /** Starts the program that fetches it. */
  @FunctionalInterface
  interface Start {
    ImageProgram now() throws ExtensionException;
  }

  ImageFetch(String image, Call first, Start start) {
    this.image = image;
    this.start = start;
    waiting.add(first);
  }

  /** Takes one more who waits; false once it has ended or was given up. */
  synchronized boolean join(Call call) {
    return !result.isDone() && !waiting.isEmpty() && waiting.add(call);
  }

  /** Runs it, unless that was done, on a thread of its own: each of those who wait may leave. */
  synchronized void begin(Runnable atEnd) {
    if (begun) {
      return;
    }
    begun = true;
    Thread.ofVirtual()
        .name("image " + image)
        .start(
            () -> {
              run();
              atEnd.run();
            });
  }

  private void run() {
    try {
      result.complete(Path.of(started().run(this::progressed).get("place")));
    } catch (ExtensionException | RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private synchronized ImageProgram started() throws ExtensionException {
    if (waiting.isEmpty()) {
      throw failed("nobody waits for it any more", null);
    }
    ImageProgram now = start.now();
    program = now;
    return now;
  }

  Path await(Call call) throws ExtensionException {
    call.progress(progress("started", ""));
    try {
      Path place = result.get();
      call.progress(progress("done", ""));
      return place;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("the call was cancelled", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ExtensionException known) {
        throw new ExtensionException(
            known.code(), known.outcome(), String.valueOf(known.getMessage()), known);
      }
      throw failed(String.valueOf(e.getCause()), e);
    } finally {
      leave(call);
    }
  }

  private synchronized void leave(Call call) {
    waiting.remove(call);
    if (waiting.isEmpty() && program != null) {
      program.cancel();
    }
  }

  private synchronized void progressed(String status) {
    String layer = status.replaceAll(",.*", "");
    waiting.forEach(call -> call.progress(progress(status, layer)));
  }

  private Progress progress(String status, String layer) {
    return new Progress(STEP, Map.of("image", image, "layer", layer, "status", status));
  }

  private ExtensionException failed(String why, @Nullable Exception cause) {
    return new ExtensionException(
        ErrorCode.IMAGE_PULL,
        Outcome.NOTHING_CREATED,
        "image %s could not be fetched: %s".formatted(image, why),
        cause);
  }
}
