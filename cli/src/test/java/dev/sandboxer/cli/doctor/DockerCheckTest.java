package dev.sandboxer.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor says of engines that cannot be used; a real one is looked at end to end. */
class DockerCheckTest {
  @TempDir private Path folder;

  private CommandLineRun doctor(String host) {
    CommandLineRun run =
        new CommandLineRun()
            .with("SANDBOXER_DOCKER_HOST", host)
            .with("SANDBOXER_HOME", folder.toString());
    run.run("doctor", "--backend", "docker");
    return run;
  }

  private String host() {
    return "unix://" + folder.resolve("s");
  }

  @Test
  void saysThatThereIsNoSocket() {
    assertThat(doctor(host()).out())
        .contains("BAD   backend docker: there is no socket at " + folder.resolve("s"))
        .contains("-> install Docker Engine")
        .endsWith("No sandbox can run here yet.\n");
  }

  @Test
  void saysThatOnlyUnixSocketsAreSpoken() {
    assertThat(doctor("tcp://10.0.0.1:2375").out())
        .contains("SANDBOXER_DOCKER_HOST is tcp://10.0.0.1:2375, which is no Unix socket")
        .contains("-> export SANDBOXER_DOCKER_HOST=unix:///var/run/docker.sock");
  }

  @Test
  void saysThatNobodyListens() throws IOException {
    listening().close(); // nobody has waited for a connection, which closing would overlap
    assertThat(doctor(host()).out()).contains("nobody answers at", "systemctl start docker");
  }

  @Test
  void saysThatSomethingElseAnswers() throws IOException {
    try (ServerSocketChannel _ = answering(Map.of("", "SSH-2.0-x\r\n\r\n"))) {
      assertThat(doctor(host()).out()).contains("what answers there is not a Docker Engine");
    }
  }

  @Test
  void saysThatTheEngineIsTooOld() throws IOException {
    try (ServerSocketChannel _ =
        answering(Map.of("/version", ok("{\"Version\":\"19.3\",\"ApiVersion\":\"1.40\"}")))) {
      assertThat(doctor(host()).out()).contains("the Engine 19.3 is too old", "20.10 or later");
    }
  }

  @Test
  void saysWhatTheEngineCannotEnforceAndThatSystemCallsAreNotFiltered() throws IOException {
    try (ServerSocketChannel _ =
        answering(
            Map.of(
                "/version",
                ok("{\"Version\":\"27.1\",\"ApiVersion\":\"1.46\"}"),
                "/info",
                ok(
                    "{\"CgroupVersion\":\"2\",\"MemoryLimit\":true,\"SwapLimit\":true,\"CpuCfsQuota\":false,"
                        + "\"PidsLimit\":false,\"Runtimes\":{\"runsc\":{},\"runc\":{}},\"SecurityOptions\":[]}")))) {
      assertThat(doctor(host()).out())
          .contains(
              "engine 27.1, cgroup v2, runtimes runc runsc, not enforced: cpus pids; not tried")
          .contains("BAD   docker seccomp: the Engine filters no system calls")
          .endsWith("Sandboxes can run.\n");
    }
  }

  @Test
  void saysThatARootlessEngineIsNotSupported() throws IOException {
    try (ServerSocketChannel _ =
        answering(
            Map.of(
                "/version",
                ok("{\"Version\":\"27.1\",\"ApiVersion\":\"1.46\"}"),
                "/info",
                ok(
                    "{\"SecurityOptions\":[\"name=seccomp,profile=builtin\",\"name=rootless\"]}")))) {
      assertThat(doctor(host()).out())
          .contains("BAD   backend docker: the Engine 27.1 runs rootless, which is not supported")
          .endsWith("No sandbox can run here yet.\n");
    }
  }

  @Test
  void withoutSwapALimitOnMemoryIsAWholeOne() throws IOException {
    String info = "{\"MemoryLimit\":%s,\"SwapLimit\":%s,\"CpuCfsQuota\":true}";
    JsonNode uncounted = new ObjectMapper().readTree(info.formatted(true, false));
    assertThat(new EngineLimits(uncounted, false).missing()).isEmpty();
    assertThat(new EngineLimits(uncounted, true).missing()).containsExactly("memory");
    JsonNode unlimited = new ObjectMapper().readTree(info.formatted(false, false));
    assertThat(new EngineLimits(unlimited, false).missing()).containsExactly("memory");
  }

  @Test
  void anotherBackendIsRefused() {
    CommandLineRun run = new CommandLineRun().with("SANDBOXER_HOME", folder.toString());
    assertThat(run.run("doctor", "--backend", "vm")).isEqualTo(2);
    assertThat(run.err()).contains("nsjail or docker");
  }

  private static String ok(String json) {
    return "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + json;
  }

  /** Answers each request by the end of its path. */
  private ServerSocketChannel answering(Map<String, String> answers) throws IOException {
    ServerSocketChannel server = listening();
    Thread.startVirtualThread(
        () -> {
          while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
              ByteBuffer request = ByteBuffer.allocate(4096);
              client.read(request);
              String path = new String(request.array(), StandardCharsets.UTF_8).split(" ", 3)[1];
              for (Map.Entry<String, String> answer : answers.entrySet()) {
                if (path.endsWith(answer.getKey())) {
                  client.write(ByteBuffer.wrap(answer.getValue().getBytes(StandardCharsets.UTF_8)));
                }
              }
            } catch (IOException e) {
              return; // it was stopped
            }
          }
        });
    return server;
  }

  private ServerSocketChannel listening() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
    return server;
  }
}
