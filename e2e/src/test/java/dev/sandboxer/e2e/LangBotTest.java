package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** LangBot's published Box client, as it comes from PyPI, works with the platform. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LangBotTest {

  private static final String CLIENT = "langbot-plugin==0.7.18";
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final Path PROGRAM = Path.of("src/test/resources/langbot_client.py");
  private static final Pattern GUIDE =
      Pattern.compile("```python\n(.*?)```\n```text\n(.*?)```", Pattern.DOTALL);

  private Path host;
  private Path python;
  private Platform platform;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    host = Files.createTempDirectory(Path.of("/var/lib"), "sbxlangbot");
    Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rwxr-xr-x"));
    python = client(folder);
    Files.createDirectory(host.resolve("skill"));
    Files.writeString(host.resolve("skill/hello"), "hello from a skill\n");
    Files.createDirectory(host.resolve("data"));
    Files.setPosixFilePermissions(
        host.resolve("data"), PosixFilePermissions.fromString("rwxrwxrwx"));
    platform =
        Platform.start(
            Map.of("SANDBOXER_LANGBOT_TOKEN", TOKEN, "SANDBOXER_MOUNT_ROOTS", host + ":rw"));
    Files.writeString(
        Files.createDirectories(platform.home().resolve("profiles")).resolve("chat.yaml"),
        """
        id: profile.chat
        version: 1
        extends: offline@1
        caller_mounts: {roots: [%s], modes: [ro, rw]}
        """
            .formatted(host));
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    Platform.remove(host);
  }

  private static Path client(Path folder) throws IOException, InterruptedException {
    Path environment = folder.resolve("venv");
    run(List.of("python3", "-m", "venv", environment.toString()), Map.of());
    run(
        List.of(
            environment.resolve("bin/pip").toString(),
            "install",
            "-q",
            "--disable-pip-version-check",
            CLIENT),
        Map.of());
    return environment.resolve("bin/python");
  }

  @Test
  void everyActionOfThePublishedClientWorks() throws IOException, InterruptedException {
    String printed = run(List.of(python.toString(), PROGRAM.toString()), environment());
    assertThat(printed.lines().filter(line -> line.startsWith("ok "))).hasSize(20);
  }

  @Test
  void theGuidesProgramRuns() throws IOException, InterruptedException {
    Matcher program = GUIDE.matcher(Files.readString(Path.of("../docs/integrations/langbot.md")));
    assertThat(program.find()).isTrue();
    String printed = run(List.of(python.toString(), "-c", program.group(1)), environment());
    assertThat(printed).isEqualTo(program.group(2));
  }

  private Map<String, String> environment() {
    return Map.of(
        "SANDBOXER_URL", platform.url().toString(),
        "SANDBOXER_HOST", platform.url().getAuthority(),
        "LANGBOT_TOKEN", TOKEN,
        "LANGBOT_BOX_CONTROL_TOKEN", TOKEN,
        "LANGBOT_SHARED", host.toString());
  }

  private static String run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }
}
