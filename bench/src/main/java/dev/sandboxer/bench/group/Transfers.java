package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** 100 MB up into a file and down again, in MB (10^6 bytes) a second. */
record Transfers(Endpoint bare, Endpoint relay) {

  private static final long BYTES = 100_000_000;
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int WARM_UP = 2;
  private static final int ROUNDS = 9;
  private static final double GOAL_MB_PER_SECOND = 400;

  List<Row> rows() throws IOException {
    Way direct = new Way(bare, block());
    Way relayed = new Way(relay, block());
    for (int round = 0; round < WARM_UP + ROUNDS; round++) {
      for (Way way : List.of(direct, relayed)) {
        way.move(round >= WARM_UP);
      }
    }
    List<Row> rows = new ArrayList<>(rows("down", direct.down(), relayed.down()));
    rows.addAll(rows("up", direct.up(), relayed.up()));
    return rows;
  }

  private static List<Row> rows(String direction, Samples direct, Samples relayed) {
    String id = "relay.100mb." + direction;
    String title = "100 MB " + direction + ", ";
    Row floor = Row.of(id + ".bare", title + "bare Unix socket", "MB/s", direct);
    Row through = Row.of(id, title + "through the relay", "MB/s", relayed);
    return List.of(floor, through.over(floor).within(Goal.atLeast(GOAL_MB_PER_SECOND)));
  }

  private static ByteBuffer block() {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    while (block.hasRemaining()) {
      block.put((byte) block.position());
    }
    return block.flip();
  }

  /** One way to move the bytes, on a connection a transfer as clients do. */
  private record Way(Endpoint endpoint, ByteBuffer block, Samples up, Samples down) {

    Way(Endpoint endpoint, ByteBuffer block) {
      this(endpoint, block, new Samples(), new Samples());
    }

    void move(boolean measured) throws IOException {
      try (Connection connection = endpoint.connect()) {
        long begin = System.nanoTime();
        Reply stored =
            connection.upload(endpoint.upload("/files/upload?path=bench.bin", BYTES), block, BYTES);
        long between = System.nanoTime();
        stored.require(stored.status() == 201 ? 201 : 200);
        long begun = System.nanoTime();
        long got = connection.download(endpoint.get("/files/download?path=bench.bin"));
        long end = System.nanoTime();
        if (got != BYTES) {
          throw new IOException("got " + got + " bytes back, not " + BYTES);
        }
        if (measured) {
          up.add(rate(between - begin));
          down.add(rate(end - begun));
        }
      }
    }

    private static double rate(long nanos) {
      return BYTES * 1e3 / nanos;
    }
  }
}
