package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What a user sees of each limit of a profile when a program goes beyond it. */
@OnEveryBackend
class ResourceLimitsTest {

  @Parameter private Backend backend;

  private Platform platform;
  private Api.Dataplane inside;
  private String sandbox;

  @BeforeEach
  void start() {
    platform = Platform.start(Map.of());
    platform.profile(
        "small",
        """
        id: profile.small
        version: 1
        extends: profile.%s@2
        resources: {cpus: "0.5", memory: 256Mi, pids: 32, workspace: 32Mi, tmp: 16Mi, open_files: 64}
        """
            .formatted(backend.profileWithPython()));
    sandbox = platform.api().ready("small").path("id").asText();
    inside = platform.api().access(sandbox);
  }

  @AfterEach
  void stop() {
    platform.close();
  }

  @Test
  void eachSaysWhatItIs() {
    memory();
    cpus();
    files();
    space();
    inodes();
    output();
    processes();
  }

  private void memory() {
    JsonNode ended = python("x = b'x' * (1 << 30)");
    assertThat(ended.path("signal").asText()).as(ended.toString()).isEqualTo("SIGKILL");
    assertThat(ended.path("oom_kills").asInt()).as(ended.toString()).isEqualTo(1);
    Cli.Result told =
        new Cli(platform).run("exec", sandbox, "--", "python3", "-c", "x = b'x' * (1 << 30)");
    assertThat(told.code()).isEqualTo(137);
    assertThat(told.err()).contains("ended 1 process for lack of memory", "resources.memory");
    assertThat(metrics().path("oom_kills").asInt()).isEqualTo(2);
    assertThat(metrics().path("memory_limit_bytes").asLong()).isEqualTo(256L << 20);
  }

  /** A machine that has other work to do gives less, never more. */
  private void cpus() {
    JsonNode burnt =
        python(
            """
            import time
            began = time.monotonic()
            while time.monotonic() - began < 2: pass
            print(time.process_time() / (time.monotonic() - began))
            """);
    assertThat(Double.parseDouble(burnt.path("stdout").asText().strip())).isLessThan(0.7);
  }

  private void files() {
    JsonNode ended =
        python(
            """
            held = []
            while True: held.append(open('/dev/null'))
            """);
    assertThat(ended.path("stderr").asText()).contains("Too many open files");
  }

  private void space() {
    for (String folder : new String[] {"/workspace", "/tmp"}) {
      JsonNode ended = sh("head -c 64M /dev/zero > " + folder + "/large");
      assertThat(ended.path("exit_code").asInt()).isEqualTo(1);
      assertThat(ended.path("stderr").asText()).contains("No space left on device");
    }
    assertThat(metrics().path("disk_limit_bytes").asLong()).isEqualTo(32L << 20);
    assertThat(metrics().path("disk_used_bytes").asLong()).isEqualTo(32L << 20);
    assertThat(inside.upload("more", new byte[1]).code()).isEqualTo("STORAGE_FULL");
    assertThat(sh("rm /workspace/large /tmp/large").path("exit_code").asInt(-1)).isZero();
  }

  private void inodes() {
    JsonNode ended = sh("cd /tmp && seq 20000 | xargs touch");
    assertThat(ended.path("stderr").asText()).contains("No space left on device");
    assertThat(sh("find /tmp -type f -delete").path("exit_code").asInt(-1)).isZero();
  }

  private void output() {
    JsonNode ended = sh("head -c 20M /dev/zero");
    assertThat(ended.path("stdout_truncated").asBoolean()).isTrue();
    assertThat(ended.path("truncated_by").asText()).isNotEmpty();
  }

  private void processes() {
    JsonNode ended =
        python(
            """
            import subprocess
            held = [subprocess.Popen(['sleep', '5']) for _ in range(100)]
            """);
    assertThat(ended.path("stderr").asText()).contains("Resource temporarily unavailable");
    assertThat(metrics().path("processes_limit").asInt()).isEqualTo(32);
  }

  private JsonNode metrics() {
    return inside.get("/metrics").json();
  }

  private JsonNode sh(String command) {
    return ended(inside.exec("sh", "-c", command));
  }

  private JsonNode python(String program) {
    return ended(inside.exec("python3", "-c", program));
  }

  private static JsonNode ended(Api.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }
}
