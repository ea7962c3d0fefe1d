package dev.sandboxer.dataplane.exec;

import static dev.sandboxer.testing.sandbox.LyingSandbox.output;
import static dev.sandboxer.testing.sandbox.LyingSandbox.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.OutputClosed;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.testing.sandbox.LyingSandbox;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandsTest {
  private static final byte[] READY = text("{\"type\":\"ready\",\"pid\":7}");
  private static final byte[] EXIT =
      text("{\"type\":\"exit\",\"exit_code\":3,\"signal\":null,\"duration_ms\":12}");

  private final Connections connections = new Connections();
  private final List<String> frames = new CopyOnWriteArrayList<>();
  private final CapturedOutput captured = new CapturedOutput(100);

  @AfterEach
  void close() {
    connections.close();
  }

  private Commands in(LyingSandbox sandbox) {
    URI base = URI.create("http://127.0.0.1:" + sandbox.port() + "/v1");
    return new Commands(Dataplane.of(connections, base, "t"));
  }

  /** Reads this many frames, then sends these and waits for the client to go. */
  private LyingSandbox answeringAfter(int count, byte[]... answers) throws IOException {
    return new LyingSandbox(
        line -> {
          line.accept();
          frames.add(line.frame());
          line.send(READY);
          for (int i = 1; i < count; i++) {
            frames.add(line.frame());
          }
          for (byte[] answer : answers) {
            line.send(answer);
          }
          line.hold();
        });
  }

  @Test
  void aCommandRunsToItsEndWithBothStreams() throws Exception {
    CommandRequest request =
        CommandRequest.of("sh", "-c", "x")
            .withEnv(Map.of("A", "b"))
            .withCwd("/tmp")
            .withTimeout(Duration.ofSeconds(2));
    try (LyingSandbox sandbox =
        answeringAfter(2, output(1, "out"), output(2, "err"), output(1, "put"), EXIT)) {
      CommandEnd end = in(sandbox).run(request, captured);
      assertThat(end).isEqualTo(new CommandEnd(3, null, Duration.ofMillis(12), false, 0));
      assertThat(end.succeeded()).isFalse();
      assertThat(captured.outText()).isEqualTo("output");
      assertThat(captured.errText()).isEqualTo("err");
      assertThat(frames)
          .containsExactly(
              "{\"type\":\"start\",\"command\":[\"sh\",\"-c\",\"x\"],\"env\":{\"A\":\"b\"},"
                  + "\"cwd\":\"/tmp\",\"timeout_ms\":2000}",
              "{\"type\":\"stdin\",\"eof\":true}");
      assertThat(sandbox.heads().getFirst())
          .startsWith("GET /v1/exec/ws ")
          .containsIgnoringCase("authorization: Bearer t\r\n");
    }
  }

  @Test
  void inputSignalsAndSizesReachTheCommand() throws Exception {
    try (LyingSandbox sandbox = answeringAfter(5, EXIT);
        RunningCommand command =
            in(sandbox)
                .startShell(CommandRequest.of().withTerminal(new TerminalSize(10, 20)), captured)) {
      assertThat(command.write("keys!".getBytes(StandardCharsets.US_ASCII), 4)).isTrue();
      command.signal("HUP");
      command.resize(new TerminalSize(30, 40));
      command.endInput();
      assertThat(command.await().exitCode()).isEqualTo(3);
      assertThat(frames)
          .containsExactly(
              "{\"type\":\"start\",\"tty\":{\"cols\":10,\"rows\":20}}",
              "\0keys",
              "{\"type\":\"signal\",\"name\":\"HUP\"}",
              "{\"type\":\"resize\",\"cols\":30,\"rows\":40}",
              "{\"type\":\"stdin\",\"eof\":true}");
      assertThat(sandbox.heads().getFirst()).startsWith("GET /v1/shell/ws ");
    }
  }

  @Test
  void aStreamIsForwardedWithItsEnd() throws Exception {
    try (LyingSandbox sandbox = answeringAfter(3, EXIT);
        RunningCommand command = in(sandbox).start(CommandRequest.of("cat"), captured)) {
      command.pipe(new ByteArrayInputStream("in".getBytes(StandardCharsets.US_ASCII)));
      assertThat(command.await().exitCode()).isEqualTo(3);
      assertThat(frames).endsWith("\0in", "{\"type\":\"stdin\",\"eof\":true}");
    }
  }

  @Test
  void aCommandThatCannotStartIsRefusedWithItsCode() throws Exception {
    try (LyingSandbox sandbox =
        LyingSandbox.sending(
            text("{\"type\":\"error\",\"code\":\"VALIDATION\",\"message\":\"no such file\"}"))) {
      assertThatThrownBy(() -> in(sandbox).run(CommandRequest.of("none"), captured))
          .isInstanceOfSatisfying(
              StreamRefused.class, refused -> assertThat(refused.code()).isEqualTo("VALIDATION"))
          .hasMessage("no such file (VALIDATION)");
    }
  }

  @Test
  void aRefusedConnectionHasItsStatus() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(line -> line.json(429, "{\"error\":{\"code\":\"RATE_LIMITED\"}}"))) {
      assertThatThrownBy(() -> in(sandbox).run(CommandRequest.of("true"), captured))
          .isInstanceOfSatisfying(
              CallRefused.class,
              refused -> {
                assertThat(refused.code()).isEqualTo("RATE_LIMITED");
                assertThat(refused.passing()).isTrue();
              });
    }
  }

  @Test
  void closingEndsTheWaitAndTheConnection() throws Exception {
    CompletableFuture<Boolean> gone = new CompletableFuture<>();
    try (LyingSandbox sandbox =
        new LyingSandbox(
            line -> {
              line.accept();
              line.send(READY);
              line.hold();
              gone.complete(true);
            })) {
      RunningCommand command = in(sandbox).start(CommandRequest.of("sleep", "9"), captured);
      Thread.startVirtualThread(command::close);
      assertThatThrownBy(command::await)
          .isInstanceOf(ConnectionLost.class)
          .hasMessageContaining("on this side");
      assertThat(gone.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aConnectionThatBreaksIsLost() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(
            line -> {
              line.accept();
              line.send(READY);
            })) {
      assertThatThrownBy(() -> in(sandbox).run(CommandRequest.of("true"), captured))
          .isInstanceOf(ConnectionLost.class);
    }
  }

  @Test
  void anOutputThatThrowsEndsTheCommand() throws Exception {
    CommandOutput closed =
        new CommandOutput() {
          @Override
          public void out(byte[] bytes) throws IOException {
            throw new IOException("Broken pipe");
          }

          @Override
          public void err(byte[] bytes) {}
        };
    try (LyingSandbox sandbox = LyingSandbox.sending(READY, output(1, "x"))) {
      assertThatThrownBy(() -> in(sandbox).run(CommandRequest.of("yes"), closed))
          .isInstanceOf(OutputClosed.class)
          .hasRootCauseMessage("Broken pipe");
    }
  }

  @Test
  void whatIsOverTheLimitIsDropped() {
    CapturedOutput small = new CapturedOutput(3);
    small.out("ab".getBytes(StandardCharsets.US_ASCII));
    small.out("cd".getBytes(StandardCharsets.US_ASCII));
    small.err("abc".getBytes(StandardCharsets.US_ASCII));
    assertThat(small.outText()).isEqualTo("abc");
    assertThat(small.outTruncated()).isTrue();
    assertThat(small.errTruncated()).isFalse();
  }
}
