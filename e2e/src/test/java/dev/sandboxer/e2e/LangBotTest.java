package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** LangBot's published Box client, as it comes from PyPI, works with the platform. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LangBotTest {

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final Path PROGRAM = Path.of("src/test/resources/langbot/client.py");
  private static final Pattern GUIDE =
      Pattern.compile("```python\n(.*?)```\n```text\n(.*?)```", Pattern.DOTALL);

  /** Of this machine alone, and no address at which the platform listens. */
  private static final String WEB = "127.0.0.77";

  private final Set<String> fetched = ConcurrentHashMap.newKeySet();

  private Path host;
  private PythonPackages packages;
  private NameServer names;
  private HttpServer web;
  private Platform platform;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    host = Files.createTempDirectory(Path.of("/var/lib"), "sbxlangbot");
    Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rwxr-xr-x"));
    packages = PythonPackages.of("langbot/requirements.txt");
    Files.createDirectory(host.resolve("skill"));
    Files.writeString(host.resolve("skill/hello"), "hello from a skill\n");
    Files.createDirectory(host.resolve("data"));
    Files.setPosixFilePermissions(
        host.resolve("data"), PosixFilePermissions.fromString("rwxrwxrwx"));
    names = new NameServer(InetAddress.ofLiteral(WEB));
    web = HttpServer.create(new InetSocketAddress(WEB, 80), 0);
    web.createContext("/", this::serve);
    web.start();
    platform =
        Platform.start(
            Map.of(
                "SANDBOXER_LANGBOT_TOKEN",
                TOKEN,
                "SANDBOXER_MOUNT_ROOTS",
                host + ":rw",
                "SANDBOXER_EGRESS_ALLOW",
                WEB,
                "SANDBOXER_EGRESS_DNS",
                "127.0.0.1:" + names.port()));
    platform.profile(
        "chat",
        """
        id: profile.chat
        version: 1
        extends: offline@1
        caller_mounts: {roots: [%s], modes: [ro, rw], unlimited: true}
        """
            .formatted(host));
    platform.profile(
        "fixed",
        """
        id: profile.fixed
        version: 1
        extends: offline@1
        network: {mode: allow, allow: [{host: web.example, ports: [80]}]}
        """);
  }

  private void serve(HttpExchange exchange) throws IOException {
    fetched.add(exchange.getRequestURI().getPath());
    byte[] text = "hello from the web".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    web.stop(0);
    names.close();
    Platform.remove(host);
  }

  @Test
  void everyActionOfThePublishedClientWorks() throws IOException, InterruptedException {
    String printed = python(PROGRAM.toString());
    assertThat(printed.lines().filter(line -> line.startsWith("ok "))).hasSize(23);
    assertThat(fetched).containsExactlyInAnyOrder("/on", "/basic", "/fixed");
  }

  @Test
  void theGuidesProgramRuns() throws IOException, InterruptedException {
    Matcher program = GUIDE.matcher(Files.readString(Path.of("../docs/integrations/langbot.md")));
    assertThat(program.find()).isTrue();
    String printed = python("-c", program.group(1));
    assertThat(printed).isEqualTo(program.group(2));
  }

  private String python(String... words) throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(packages.environment());
    environment.put("SANDBOXER_URL", platform.url().toString());
    environment.put("SANDBOXER_HOST", platform.url().getAuthority());
    environment.put("LANGBOT_TOKEN", TOKEN);
    environment.put("LANGBOT_BOX_CONTROL_TOKEN", TOKEN);
    environment.put("LANGBOT_SHARED", host.toString());
    environment.put("LANGBOT_WEB", WEB);
    List<String> call = new ArrayList<>(List.of("python3"));
    call.addAll(List.of(words));
    return Program.run(Path.of(""), environment, call);
  }
}
