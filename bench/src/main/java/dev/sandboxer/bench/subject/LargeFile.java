package dev.sandboxer.bench.subject;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Row;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A file of 100 MB (10^6 bytes) in a sandbox, moved through its dataplane. */
public record LargeFile(Endpoint relay, ByteBuffer block) {

  /** Its size. */
  public static final int BYTES = 100_000_000;

  /** A warm-up that ends within the first transfer. */
  public static final Duration ONCE = Duration.ofMillis(1);

  private static final int BLOCK_BYTES = 256 << 10;

  /** One that is written from a block of its own. */
  public static LargeFile at(Endpoint relay) {
    return new LargeFile(relay, ByteBuffer.allocateDirect(BLOCK_BYTES));
  }

  /** Writes it, on a connection of its own as clients do. */
  public void upload() throws IOException {
    try (Connection connection = relay.connect()) {
      int status =
          connection
              .upload(relay.upload("/files/upload?path=bench.bin", BYTES), block, BYTES)
              .status();
      if (status != 200 && status != 201) {
        throw new IOException("status " + status);
      }
    }
  }

  /** Reads it, on a connection of its own, and throws the bytes away. */
  public void download() throws IOException {
    try (Connection connection = relay.connect()) {
      whole(connection.download(relay.get("/files/download?path=bench.bin")));
    }
  }

  /** Fails if fewer bytes came than it has. */
  public static void whole(long got) throws IOException {
    if (got < BYTES) {
      throw new IOException("got " + got + " bytes, not " + BYTES);
    }
  }

  /** A lane that moves so many bytes each time, as MB a second. */
  public static Row row(String id, Lane lane) {
    return Row.of(id, "100 MB " + lane.name(), "MB/s", lane.samples().rates(BYTES / 1e3));
  }
}
