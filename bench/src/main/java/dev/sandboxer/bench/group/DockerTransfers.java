package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Operation;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.DockerEngine;
import dev.sandboxer.bench.subject.TarHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** 100 MB into a container and out again: as docker cp and docker exec move it, and our way. */
record DockerTransfers(DockerEngine engine, String container, Endpoint relay) {

  private static final long BYTES = 100_000_000;
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int WARM_UP = 1;
  private static final int ROUNDS = 5;
  private static final double GOAL = 3;

  /** One way to move the bytes. */
  private record Way(String id, String title, Operation operation, Samples samples) {

    Way(String id, String title, Operation operation) {
      this(id, title, operation, new Samples());
    }

    void move(boolean measured) throws Exception {
      long begin = System.nanoTime();
      operation.run();
      if (measured) {
        samples.add(BYTES * 1e3 / (System.nanoTime() - begin));
      }
    }

    Row row() {
      return Row.of("docker.100mb." + id, "100 MB " + title, "MB/s", samples);
    }
  }

  List<Row> rows() throws Exception {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    Way copyIn = new Way("up.cp", "up, docker cp", () -> copyIn(block));
    Way up = new Way("up", "up, relay to a container", () -> upload(block));
    Way copyOut = new Way("down.cp", "down, docker cp", this::copyOut);
    Way cat = new Way("down.exec", "down, docker exec cat", this::cat);
    Way down = new Way("down", "down, relay from a container", this::download);
    List<Way> ways = List.of(copyIn, up, copyOut, cat, down);
    for (int round = 0; round < WARM_UP + ROUNDS; round++) {
      for (Way way : ways) {
        way.move(round >= WARM_UP);
      }
    }
    List<Row> rows = new ArrayList<>(ways.stream().map(Way::row).toList());
    rows.add(ratio("up.ratio", "100 MB up, times docker cp", up, copyIn));
    rows.add(ratio("down.ratio", "100 MB down, times docker cp", down, copyOut));
    rows.add(ratio("down.exec.ratio", "100 MB down, times docker exec", down, cat));
    return rows;
  }

  private static Row ratio(String id, String title, Way ours, Way floor) {
    return DockerGroup.ratio("docker.100mb." + id, title, ours.row(), floor.row())
        .within(Goal.atLeast(GOAL));
  }

  private void copyIn(ByteBuffer block) throws IOException {
    engine.copyIn(
        container, "/tmp", TarHead.of("bench.bin", BYTES), block, TarHead.archiveBytes(BYTES));
  }

  private void copyOut() throws IOException {
    long _ = DockerGroup.whole(engine.copyOut(container, "/tmp/bench.bin"), BYTES);
  }

  private void cat() throws IOException {
    try (Connection connection = engine.api().connect()) {
      long _ = DockerGroup.whole(engine.exec(connection, container, "cat /tmp/bench.bin"), BYTES);
    }
  }

  private void upload(ByteBuffer block) throws IOException {
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

  private void download() throws IOException {
    try (Connection connection = relay.connect()) {
      long _ =
          DockerGroup.whole(
              connection.download(relay.get("/files/download?path=bench.bin")), BYTES);
    }
  }
}
