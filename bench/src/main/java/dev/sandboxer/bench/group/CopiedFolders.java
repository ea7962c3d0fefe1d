package dev.sandboxer.bench.group;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * 100 MB of a copied folder, in and back out, beside a file of that size from and to this machine's
 * disk through the dataplane, as {@code cp} moves it. In is what a create takes longer than one
 * without the folder.
 */
final class CopiedFolders implements AutoCloseable {

  private static final long BYTES = 100_000_000;
  private static final int FILES = 100;
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int WARM_UP = 1;
  private static final int ROUNDS = 5;
  private static final double LEAST_TIMES = 0.5;

  private static final String PROFILE =
      """
      id: profile.%s
      version: 1
      extends: local@2
      resources: {memory: 1Gi}
      mounts:
        - {host_path: %s, mount_path: /workspace/data, mode: %s, delivery: copy}
      """;

  private static final String FILL =
      "{\"command\": [\"sh\", \"-c\", \"head -c %d /dev/urandom > /workspace/data/file\"]}"
          .formatted(BYTES);

  private final Path root;
  private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
  private final Samples up = new Samples();
  private final Samples down = new Samples();
  private final Samples in = new Samples();
  private final Samples out = new Samples();

  private CopiedFolders(Path root) {
    this.root = root;
  }

  /** Grants folders to a platform, for its next start. */
  static CopiedFolders grantedTo(Platform platform) throws IOException {
    CopiedFolders folders =
        new CopiedFolders(Files.createTempDirectory(Path.of("/var/lib"), "sbxbench"));
    Files.createDirectories(folders.root.resolve("out"));
    Path full = Files.createDirectories(folders.root.resolve("in"));
    byte[] content = new byte[(int) (BYTES / FILES)];
    for (int i = 0; i < FILES; i++) {
      ThreadLocalRandom.current().nextBytes(content);
      Files.write(full.resolve("file" + i), content);
    }
    platform.set("SANDBOXER_MOUNT_ROOTS", folders.root + ":rw");
    return folders;
  }

  List<Row> rows(Platform platform) throws IOException {
    platform.profile("copied-in", PROFILE.formatted("copied-in", root.resolve("in"), "ro"));
    platform.profile("copied-out", PROFILE.formatted("copied-out", root.resolve("out"), "rw"));
    Endpoint api = platform.api();
    try (Connection connection = api.connect();
        Sandbox changed = Sandbox.create(api, "copied-out")) {
      Endpoint relay = changed.relay();
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        boolean measured = round >= WARM_UP;
        through(relay, measured);
        add(in, measured, create(connection, api, "copied-in") - create(connection, api, "local"));
        add(out, measured, sync(connection, api, changed, relay));
      }
    }
    Row uploads = Row.of("box.copy.up", "100 MB up, a file through the dataplane", "MB/s", up);
    Row downloads =
        Row.of("box.copy.down", "100 MB down, a file through the dataplane", "MB/s", down);
    return List.of(
        uploads,
        Row.of("box.copy.in", "100 MB in, a copied folder", "MB/s", in).over(uploads),
        ratio("in", "a copied folder in, times a file", in, up),
        downloads,
        Row.of("box.copy.out", "100 MB out, a copied folder", "MB/s", out).over(downloads),
        ratio("out", "a copied folder out, times a file", out, down),
        Row.single("box.copy.ratio", "in and out, times a file", "times", inAndOut())
            .within(Goal.atLeast(LEAST_TIMES)));
  }

  private static Row ratio(String id, String title, Samples copied, Samples file) {
    return Row.single("box.copy." + id + ".ratio", title, "times", copied.p50() / file.p50());
  }

  /** How fast both ways together are: the time that the file takes over the folder's. */
  private double inAndOut() {
    return (1 / up.p50() + 1 / down.p50()) / (1 / in.p50() + 1 / out.p50());
  }

  private void through(Endpoint relay, boolean measured) throws IOException {
    Path fetched = root.resolve("fetched");
    try (Connection connection = relay.connect();
        FileChannel file = FileChannel.open(fetched, CREATE, TRUNCATE_EXISTING, WRITE)) {
      long begin = System.nanoTime();
      var _ = connection.upload(relay.upload("/files/upload?path=file", BYTES), block, BYTES);
      long between = System.nanoTime();
      long got = connection.download(relay.get("/files/download?path=file"), file);
      if (got != BYTES) {
        throw new IOException("got " + got + " bytes back, not " + BYTES);
      }
      add(up, measured, between - begin);
      add(down, measured, System.nanoTime() - between);
    }
    try (Connection connection = relay.connect()) {
      var _ =
          connection.call(relay.post("/exec", "{\"command\": [\"rm\", \"file\"]}")).require(200);
    }
  }

  private static long create(Connection connection, Endpoint api, String profile)
      throws IOException {
    ByteBuffer creation = Sandbox.creation(api, profile);
    long begin = System.nanoTime();
    String id = Sandbox.create(connection, creation);
    long nanos = System.nanoTime() - begin;
    Sandbox.destroy(connection, api, id);
    return nanos;
  }

  private static long sync(Connection connection, Endpoint api, Sandbox sandbox, Endpoint relay)
      throws IOException {
    try (Connection inside = relay.connect()) {
      var _ = inside.call(relay.post("/exec", FILL)).require(200);
    }
    ByteBuffer sync = api.post("/v1/sandboxes/" + sandbox.id() + "/sync", "");
    long begin = System.nanoTime();
    var _ = connection.call(sync).require(200);
    return System.nanoTime() - begin;
  }

  private static void add(Samples samples, boolean measured, long nanos) {
    if (measured) {
      samples.add(BYTES * 1e3 / nanos);
    }
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
