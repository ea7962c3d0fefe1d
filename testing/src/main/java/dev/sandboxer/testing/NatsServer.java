package dev.sandboxer.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The real server, with JetStream, in a process of its own. It can be killed and come back. */
public final class NatsServer implements AutoCloseable {

  private static final String PROGRAM = "nats-server";

  private final Path store;
  private final List<String> more;
  private final int port;
  private Process process;

  public NatsServer(Path store, String... more) throws IOException {
    this.store = store;
    this.more = List.of(more);
    this.port = FreePort.find();
    this.process = launch();
  }

  public String url() {
    return "nats://127.0.0.1:" + port;
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly();
    var _ = process.waitFor();
  }

  public void comeBack() throws IOException {
    process = launch();
  }

  private Process launch() throws IOException {
    List<String> command =
        Stream.concat(
                Stream.of(
                    program(), "-a", "127.0.0.1", "-p", "" + port, "-js", "-sd", store.toString()),
                more.stream())
            .toList();
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(store.resolve("log").toFile()))
            .start();
    await().atMost(Duration.ofMinutes(1)).until(() -> answers() || !started.isAlive());
    if (!started.isAlive()) {
      throw new IOException("it ended: " + Files.readString(store.resolve("log")));
    }
    return started;
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.getInputStream().read() == 'I';
    } catch (IOException e) {
      return false;
    }
  }

  private static String program() {
    return ProgramOnPath.find(PROGRAM, "on Debian: apt-get install nats-server");
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
