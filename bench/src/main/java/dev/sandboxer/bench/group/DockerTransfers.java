package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.DockerEngine;
import dev.sandboxer.bench.subject.LargeFile;
import dev.sandboxer.bench.subject.TarHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** 100 MB into a container and out again: as docker cp and docker exec move it, and our way. */
record DockerTransfers(DockerEngine engine, String container, Endpoint relay) {

  private static final Interleaving PLAN = new Interleaving(LargeFile.ONCE, 5, 1);
  private static final double GOAL = 3;

  List<Row> rows() throws Exception {
    LargeFile file = LargeFile.at(relay);
    Lane copyIn = new Lane("up, docker cp", () -> copyIn(file.block()));
    Lane upload = new Lane("up, relay to a container", file::upload);
    Lane copyOut = new Lane("down, docker cp", this::copyOut);
    Lane cat = new Lane("down, docker exec cat", this::cat);
    Lane download = new Lane("down, relay from a container", file::download);
    PLAN.measure(List.of(copyIn, upload, copyOut, cat, download));
    Row in = row("up.cp", copyIn);
    Row up = row("up", upload);
    Row out = row("down.cp", copyOut);
    Row printed = row("down.exec", cat);
    Row down = row("down", download);
    return List.of(
        in,
        up,
        out,
        printed,
        down,
        ratio("up.ratio", "100 MB up, times docker cp", up, in),
        ratio("down.ratio", "100 MB down, times docker cp", down, out),
        ratio("down.exec.ratio", "100 MB down, times docker exec", down, printed));
  }

  private static Row row(String id, Lane lane) {
    return LargeFile.row("docker.100mb." + id, lane);
  }

  private static Row ratio(String id, String title, Row ours, Row floor) {
    return Row.ratio("docker.100mb." + id, title, ours, floor).within(Goal.atLeast(GOAL));
  }

  private void copyIn(ByteBuffer block) throws IOException {
    engine.copyIn(
        container,
        "/tmp",
        TarHead.of("bench.bin", LargeFile.BYTES),
        block,
        TarHead.archiveBytes(LargeFile.BYTES));
  }

  private void copyOut() throws IOException {
    LargeFile.whole(engine.copyOut(container, "/tmp/bench.bin"));
  }

  private void cat() throws IOException {
    try (Connection connection = engine.api().connect()) {
      LargeFile.whole(engine.exec(connection, container, "cat /tmp/bench.bin"));
    }
  }
}
