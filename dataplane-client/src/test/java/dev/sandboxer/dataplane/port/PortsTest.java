package dev.sandboxer.dataplane.port;

import static dev.sandboxer.testing.sandbox.LyingSandbox.frame;
import static dev.sandboxer.testing.sandbox.LyingSandbox.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.StreamRefused;
import dev.sandboxer.testing.sandbox.LyingSandbox;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PortsTest {
  private static final int BINARY = 0x82;
  private static final byte[] END = text("{\"type\":\"eof\"}");

  private final Connections connections = new Connections();

  @AfterEach
  void close() {
    connections.close();
  }

  private Ports of(LyingSandbox sandbox) {
    URI base = URI.create("http://127.0.0.1:" + sandbox.port() + "/v1");
    return new Ports(Dataplane.of(connections, base, "t"));
  }

  /** Sends what it got, then its end, once the client has sent its own. */
  private static LyingSandbox echo() throws IOException {
    return new LyingSandbox(
        line -> {
          line.accept();
          line.send(frame(BINARY, line.frame().getBytes(StandardCharsets.UTF_8)));
          line.send(frame(BINARY, line.frame().getBytes(StandardCharsets.UTF_8)));
          line.send(END);
          line.hold();
        });
  }

  private static final class Memory implements LocalStream {
    private final ByteArrayOutputStream got = new ByteArrayOutputStream();
    private boolean ended;

    @Override
    public InputStream input() {
      return new ByteArrayInputStream("ping".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public OutputStream output() {
      return got;
    }

    @Override
    public void endOutput() {
      ended = true;
    }
  }

  @Test
  void aStreamCarriesBothDirectionsAndBothEnds() throws Exception {
    try (LyingSandbox sandbox = echo()) {
      Memory local = new Memory();
      of(sandbox).join(local, 8080);
      assertThat(local.got.toString(StandardCharsets.UTF_8)).isEqualTo("ping{\"type\":\"eof\"}");
      assertThat(local.ended).isTrue();
      assertThat(sandbox.heads().getFirst()).startsWith("GET /v1/ports/8080/tcp ");
    }
  }

  @Test
  void aRefusedSocketIsResetAndDoesNotLookWhole() throws Exception {
    try (LyingSandbox sandbox =
            LyingSandbox.sending(
                text("{\"type\":\"error\",\"code\":\"PORT_UNREACHABLE\",\"message\":\"no\"}"));
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket program = new Socket(server.getInetAddress(), server.getLocalPort())) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      Thread.startVirtualThread(
          () -> {
            try (Socket local = server.accept()) {
              of(sandbox).join(local, 1);
            } catch (Exception e) {
              failure.complete(e);
            }
          });
      assertThat(failure.get(30, TimeUnit.SECONDS))
          .isInstanceOf(StreamRefused.class)
          .hasMessage("no (PORT_UNREACHABLE)");
      assertThatThrownBy(() -> program.getInputStream().read())
          .as("reset, not ended")
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void portsThatListenAreNamedAndWrongOnesRefused() throws Exception {
    try (LyingSandbox sandbox =
        new LyingSandbox(line -> line.json(200, "{\"items\":[{\"port\":80},{\"port\":9}]}"))) {
      assertThat(of(sandbox).listening()).containsExactly(80, 9);
      assertThatThrownBy(() -> of(sandbox).join(new Memory(), 70_000))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
