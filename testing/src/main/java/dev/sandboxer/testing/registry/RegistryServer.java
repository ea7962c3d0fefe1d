package dev.sandboxer.testing.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.sandboxer.testing.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/**
 * The real registry in a process of its own, by plain HTTP on the loopback, with or without a
 * login. It can be killed and come back, and what it stores can be changed.
 */
public final class RegistryServer implements AutoCloseable {

  private static final String PROGRAM = "docker-registry";
  private static final String UPLOADER = "uploader";
  private static final int COST = 4;

  private final Path folder;
  private final boolean closed;
  private final int port = FreePort.find();
  private final String uploading = UUID.randomUUID().toString();
  private final HttpClient client = HttpClient.newHttpClient();
  private Process process;

  /** Whoever calls it may read and write. */
  public static RegistryServer open(Path folder) throws IOException {
    return new RegistryServer(folder, false);
  }

  /** Only who gives this name and password may read and write. */
  public static RegistryServer withLogin(Path folder, String name, String password)
      throws IOException {
    RegistryServer server = new RegistryServer(folder, true);
    server.login(name, password);
    return server;
  }

  private RegistryServer(Path folder, boolean closed) throws IOException {
    this.folder = folder;
    this.closed = closed;
    if (closed) {
      Files.writeString(passwords(), line(UPLOADER, uploading));
    }
    Files.writeString(configuration(), configured());
    this.process = launch();
  }

  /** Replaces the login; the next request is held against it. */
  public void login(String name, String password) throws IOException {
    Path aside = folder.resolve("htpasswd.new");
    Files.writeString(aside, line(UPLOADER, uploading) + line(name, password));
    Files.move(aside, passwords(), ATOMIC_MOVE);
  }

  /** As names of images have it: host and port. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** The file that holds the bytes of this digest. */
  public Path blob(String digest) {
    String hash = digest.substring(digest.indexOf(':') + 1);
    return folder.resolve(
        "storage/docker/registry/v2/blobs/sha256/" + hash.substring(0, 2) + "/" + hash + "/data");
  }

  /** What it has logged so far: a line a request, with its path and status. */
  public String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly();
    var _ = process.waitFor();
  }

  public void comeBack() throws IOException {
    process = launch();
  }

  /** A request that may do everything. */
  HttpResponse<byte[]> send(HttpRequest.Builder request) {
    if (closed) {
      request.header("Authorization", "Basic " + basic(UPLOADER, uploading));
    }
    try {
      return client.send(request.build(), BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  URI url(String path) {
    return URI.create("http://" + address()).resolve(path);
  }

  private Process launch() throws IOException {
    Process started =
        new ProcessBuilder(program(), "serve", configuration().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    await().atMost(Duration.ofMinutes(1)).until(() -> answers() || !started.isAlive());
    if (!started.isAlive()) {
      throw new IOException("it ended: " + log());
    }
    return started;
  }

  private boolean answers() {
    try {
      return send(HttpRequest.newBuilder(url("/v2/"))).statusCode() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private String configured() {
    String anybody =
        """
        version: 0.1
        log: {level: info}
        storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
        http: {addr: "%s"}
        """
            .formatted(folder.resolve("storage"), address());
    return closed
        ? anybody + "auth: {htpasswd: {realm: tests, path: %s}}\n".formatted(passwords())
        : anybody;
  }

  private Path configuration() {
    return folder.resolve("config.yml");
  }

  private Path passwords() {
    return folder.resolve("htpasswd");
  }

  private static String line(String name, String password) {
    return name + ":" + BCrypt.withDefaults().hashToString(COST, password.toCharArray()) + "\n";
  }

  private static String basic(String name, String password) {
    return Base64.getEncoder().encodeToString((name + ":" + password).getBytes(UTF_8));
  }

  private static String program() {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(place -> Path.of(place, PROGRAM))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the tests need docker-registry on PATH; on Debian: apt-get install"
                        + " docker-registry"))
        .toString();
  }

  @Override
  public void close() {
    client.close();
    process.destroy();
    process.onExit().join();
  }
}
