package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** Where no jail can run, `up` takes Docker, and what it tells people to type works as pasted. */
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class UpWithDockerTest {

  @TempDir private Path folder;

  private int port;

  @BeforeEach
  void prepare() throws IOException {
    port = FreePort.find();
    Prepared.lend(folder.resolve("home"));
  }

  @AfterEach
  void leaveNothing() throws IOException, InterruptedException {
    var _ = bash("./sandboxer down --destroy-all");
  }

  @Test
  void theBackendIsTriedAndTheCommandWorks() throws IOException, InterruptedException {
    String up = bash("./sandboxer up --detach");
    assertThat(up).contains("backend: Docker", "a container was tried and works");
    String command =
        up.substring(up.indexOf("  try: ") + "  try: ".length()).lines().findFirst().orElseThrow();
    assertThat(command).isEqualTo("./sandboxer run --profile docker-debian -- echo hello");
    assertThat(bash(command)).contains("hello\n", "docker, ready in");
    assertThat(bash("./sandboxer doctor"))
        .contains("ok    backend docker: engine", "Sandboxes can run.");
  }

  private String bash(String command) throws IOException, InterruptedException {
    Path log = folder.resolve("output.log");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", command)
            .directory(Guide.CHECKOUT.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.equals("SANDBOXER_URL") || name.equals("SANDBOXER_KEY"));
    builder.environment().put("SANDBOXER_HOME", folder.resolve("home").toString());
    builder.environment().put("SANDBOXER_NSJAIL", folder.resolve("no-nsjail").toString());
    builder.environment().put("SANDBOXER_LISTEN", "127.0.0.1:" + port);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SANDBOXER_DIST", Platform.dist().toString());
    Process process = builder.start();
    int code = process.waitFor();
    String printed = Files.readString(log);
    assertThat(code).as(printed).isZero();
    return printed;
  }
}
