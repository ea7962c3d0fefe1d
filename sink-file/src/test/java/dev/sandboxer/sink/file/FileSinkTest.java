package dev.sandboxer.sink.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import dev.sandboxer.testing.NoCall;
import dev.sandboxer.testing.SampleEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileSinkTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private Path file;
  private Written written;

  @BeforeEach
  void place() {
    file = folder.resolve("events.jsonl");
    written = new Written(file);
  }

  private EventSink sink(String... more) {
    Map<String, String> config = new java.util.HashMap<>(Map.of("path", file.toString()));
    for (int i = 0; i < more.length; i += 2) {
      config.put(more[i], more[i + 1]);
    }
    return Written.sink(config);
  }

  private static void deliver(EventSink sink, int number) throws SinkException {
    sink.deliver(SampleEvents.event(number, 0), new NoCall());
  }

  @Test
  void appendsALineAnEventForTheOwnerAlone() throws Exception {
    try (EventSink sink = sink()) {
      deliver(sink, 1);
      assertThat(written.numbers()).containsExactly(1);
      deliver(sink, 2);
    }
    try (EventSink again = sink("fsync", "never")) {
      deliver(again, 3);
    }
    assertThat(written.numbers()).containsExactly(1, 2, 3);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void aFullFileGetsANumberAndTheOldestGo() throws Exception {
    try (EventSink sink = sink("rotate_bytes", "60", "keep_files", "3")) {
      for (int n = 1; n <= 11; n++) {
        deliver(sink, n);
      }
    }
    assertThat(written.files())
        .extracting(each -> each.getFileName().toString())
        .containsExactly(
            "events.jsonl.000003", "events.jsonl.000004", "events.jsonl.000005", "events.jsonl");
    assertThat(written.numbers()).containsExactly(5, 6, 7, 8, 9, 10, 11);
  }

  @Test
  void anEventLargerThanAFileHasOneOfItsOwn() throws Exception {
    try (EventSink sink = sink("rotate_bytes", "1")) {
      deliver(sink, 1);
      deliver(sink, 2);
    }
    assertThat(written.files()).hasSize(2);
    assertThat(written.numbers()).containsExactly(1, 2);
  }

  @Test
  void aLineThatACrashLeftUnfinishedIsCutOff() throws Exception {
    Files.writeString(file, "{\"n\": 1, \"fill\": \"\"}\n{\"n\": 2, \"fi" + "l".repeat(20_000));
    try (EventSink sink = sink()) {
      deliver(sink, 2);
    }
    assertThat(written.numbers()).containsExactly(1, 2);
  }

  @Test
  void whatOthersMovedAwayIsBegunAnew() throws Exception {
    try (EventSink sink = sink()) {
      deliver(sink, 1);
      Files.move(file, folder.resolve("events.jsonl.000009"));
      deliver(sink, 2);
      Files.delete(file);
      deliver(sink, 3);
    }
    assertThat(written.numbers()).containsExactly(1, 3);
  }

  @Test
  void twoSinksDoNotWriteOneFile() throws Exception {
    try (EventSink sink = sink();
        EventSink other = sink()) {
      deliver(sink, 1);
      assertThatThrownBy(() -> deliver(other, 2))
          .isInstanceOfSatisfying(SinkException.class, e -> assertThat(e.isRefused()).isFalse())
          .hasMessageContaining("written by another");
    }
  }

  @Test
  void aFolderThatComesLaterIsWaitedFor() throws Exception {
    file = folder.resolve("later/events.jsonl");
    try (EventSink sink = sink()) {
      assertThatThrownBy(() -> deliver(sink, 1)).hasMessageContaining("cannot be written");
      Files.createDirectory(file.getParent());
      deliver(sink, 1);
    }
    assertThat(new Written(file).numbers()).containsExactly(1);
  }

  @Test
  void anInterruptedThreadDisturbsNoOther() throws Exception {
    try (EventSink sink = sink();
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<java.util.concurrent.Future<?>> all = new ArrayList<>();
      for (int n = 1; n <= 200; n++) {
        int number = n;
        all.add(
            threads.submit(
                () -> {
                  if (number % 3 == 0) {
                    Thread.currentThread().interrupt();
                  }
                  deliver(sink, number);
                  return Thread.interrupted();
                }));
      }
      for (var one : all) {
        var _ = one.get();
      }
    }
    assertThat(written.numbers())
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 200).boxed().toList());
  }

  @Test
  void afterKillsEveryLineIsWholeAndNothingThatWasTakenIsMissing() throws Exception {
    List<Integer> taken = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      int first = 1 + round * 1_000_000;
      try (Running writer = Running.start(file, 200_000, first, 5_000, "")) {
        await().atMost(PATIENCE).until(() -> writer.taken().size() > 40);
        writer.kill();
        taken.addAll(writer.taken());
      }
    }
    try (EventSink sink = sink("rotate_bytes", "200000")) {
      deliver(sink, 0);
    }
    assertThat(written.files()).hasSizeGreaterThan(2);
    assertThat(written.numbers()).containsAll(taken).endsWith(0);
  }

  @Test
  void aFullDiskDelaysAndLosesNothing() throws Exception {
    try (Running writer = Running.start(file, 1L << 40, 1, 300, "ulimit -S -f 20; ")) {
      await().atMost(PATIENCE).until(() -> writer.lines().contains("away"));
      long full = Files.size(file);
      assertThat(full).isLessThanOrEqualTo(20 * 1024);
      List<Integer> before = writer.taken();
      // It tries again and again: what one try could write of a line is there for a moment.
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(new Written(file).numbers()).containsAll(before));
      writer.unlimited();
      await().atMost(PATIENCE).until(() -> writer.taken().size() > before.size() + 100);
      writer.kill();
      try (EventSink sink = sink()) {
        deliver(sink, 0);
      }
      assertThat(written.numbers()).containsAll(writer.taken());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "path,events.jsonl,absolute path",
    "path,'',absolute path",
    "path,/,absolute path",
    "fsync,sometimes,always or never",
    "rotate_bytes,0,whole number from 1",
    "rotate_bytes,10MB,whole number",
    "keep_files,-1,whole number",
    "folder,/tmp,unknown keys [folder]",
  })
  void aWrongSettingIsNamed(String name, String value, String told) {
    assertThatThrownBy(() -> sink(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name)
        .hasMessageContaining(told);
  }

  @Test
  void whatIsNoFileIsLeftAlone() throws Exception {
    Files.createDirectory(file);
    try (EventSink sink = sink()) {
      assertThatThrownBy(() -> deliver(sink, 1)).hasMessageContaining("no ordinary file");
    }
  }

  /** A writer in a process of its own. */
  private static final class Running implements AutoCloseable {

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private Running(Process process) {
      this.process = process;
      this.reader = Thread.ofVirtual().start(this::read);
    }

    static Running start(Path file, long rotate, int first, int fill, String before)
        throws IOException {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      String command =
          before
              + "exec '%s' -XX:+UseSerialGC -Xmx64m -cp '%s' %s '%s' %d %d %d"
                  .formatted(
                      java,
                      System.getProperty("java.class.path"),
                      Writer.class.getName(),
                      file,
                      rotate,
                      first,
                      fill);
      return new Running(
          new ProcessBuilder("bash", "-c", command).redirectErrorStream(true).start());
    }

    private void read() {
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          lines.add(line);
        }
      } catch (IOException e) {
        // it was killed
      }
    }

    List<String> lines() {
      return List.copyOf(lines);
    }

    List<Integer> taken() {
      return lines.stream()
          .filter(line -> line.matches("taken \\d+"))
          .map(line -> Integer.valueOf(line.substring("taken ".length())))
          .toList();
    }

    void unlimited() throws IOException, InterruptedException {
      String[] prlimit = {"prlimit", "--pid", Long.toString(process.pid()), "--fsize=unlimited"};
      assertThat(new ProcessBuilder(prlimit).inheritIO().start().waitFor()).isZero();
    }

    /** As the kernel would; what it printed before is read to its end. */
    void kill() throws InterruptedException {
      process.destroyForcibly();
      var _ = process.waitFor();
      reader.join();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
