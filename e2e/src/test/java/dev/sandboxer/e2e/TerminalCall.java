package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A call of the command line at a terminal of its own, made by {@code script}: 100 columns, 30
 * rows. After the call it waits until the terminal is as it was before, and says so.
 */
final class TerminalCall implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern DEVICE = Pattern.compile("(/dev/pts/[0-9]+)");
  private static final Pattern ENDED = Pattern.compile("terminal as before, ended ([0-9]+)");

  private static final String AROUND =
      """
      trap : INT
      TERM=xterm; export TERM # whatever the terminal of these tests is, if they have one
      tty; stty cols 100 rows 30; saved=$(stty -g)
      THE_CALL
      code=$?
      until [ "$(stty -g)" = "$saved" ]; do :; done
      echo "terminal as before, ended $code"
      """;

  private final Process process;
  private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

  TerminalCall(Cli cli, String... arguments) {
    try {
      String call =
          cli.command(arguments).stream()
              .map(word -> "'" + word.replace("'", "'\\''") + "'")
              .collect(Collectors.joining(" "));
      Path file = Files.createTempFile(cli.platform().home().resolve("logs"), "terminal", ".sh");
      Files.writeString(file, AROUND.replace("THE_CALL", call));
      process =
          cli.start(
              List.of("script", "-qfc", "sh " + file, "/dev/null"),
              cli.platform().home().resolve("logs/script.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.startVirtualThread(this::watch);
  }

  private void watch() {
    byte[] chunk = new byte[8192];
    try (InputStream shown = process.getInputStream()) {
      for (int count = shown.read(chunk); count >= 0; count = shown.read(chunk)) {
        seen.write(chunk, 0, count);
      }
    } catch (IOException e) {
      // the terminal is closed
    }
  }

  /** Presses keys. */
  void type(String keys) {
    try {
      OutputStream keyboard = process.getOutputStream();
      keyboard.write(keys.getBytes(StandardCharsets.ISO_8859_1));
      keyboard.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until this was shown. */
  TerminalCall awaits(String text) {
    try {
      await().atMost(PATIENCE).until(() -> shown().contains(text));
    } catch (RuntimeException e) {
      throw new AssertionError("never shown: " + text + "\nshown:\n" + shown(), e);
    }
    return this;
  }

  /** Everything that was shown so far. */
  String shown() {
    return seen.toString(StandardCharsets.ISO_8859_1);
  }

  /** Changes the window's size, as somebody does who pulls at its corner. */
  void resize(int cols, int rows) throws IOException, InterruptedException {
    Matcher device = DEVICE.matcher(shown());
    assertThat(device.find()).as(shown()).isTrue();
    Process stty =
        new ProcessBuilder(
                "stty",
                "-F",
                device.group(1),
                "cols",
                String.valueOf(cols),
                "rows",
                String.valueOf(rows))
            .start();
    assertThat(stty.waitFor()).isZero();
  }

  /** The command line's own process. */
  ProcessHandle commandLine() {
    return process
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow();
  }

  /** Waits for the call's end and for the terminal to be as it was, and answers the exit code. */
  int ended() {
    awaits("terminal as before, ended ");
    await().atMost(PATIENCE).until(() -> ENDED.matcher(shown()).find());
    Matcher found = ENDED.matcher(shown());
    assertThat(found.find()).isTrue();
    return Integer.parseInt(found.group(1));
  }

  @Override
  public void close() {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroy();
    all.forEach(ProcessHandle::destroy);
  }
}
