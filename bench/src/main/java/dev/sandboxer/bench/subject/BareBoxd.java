package dev.sandboxer.bench.subject;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A boxd of the distribution beside the platform: no jail, no relay, a Unix socket, and keys of our
 * own.
 */
public final class BareBoxd implements AutoCloseable {

  private static final String SANDBOX = "sb_bench0000000000000000";
  private static final String INSTALLATION = "00000000-0000-4000-8000-000000000000";
  private static final String ISSUER = "urn:sandboxer:" + INSTALLATION;
  private static final int DEADLINE_SECONDS = 3600;
  private static final int PATIENCE_SECONDS = 10;

  private final Folder folder;
  private final Process process;
  private final Signer signer;

  private BareBoxd(Folder folder, Process process, Signer signer) {
    this.folder = folder;
    this.process = process;
    this.signer = signer;
  }

  /** Starts one and waits until it runs commands. */
  public static BareBoxd start(Path binary, Clock clock) throws IOException {
    Folder folder = Folder.inMemory();
    Signer signer = new Signer(clock);
    Files.createDirectory(folder.resolve("w"));
    Files.writeString(folder.resolve("config.json"), config(folder, signer));
    List<String> command =
        List.of(
            binary.toString(),
            "serve",
            "--config",
            folder.resolve("config.json").toString(),
            "--listen",
            "unix:" + folder.resolve("s"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(folder.resolve("log").toFile());
    BareBoxd boxd = new BareBoxd(folder, builder.start(), signer);
    boxd.configure();
    return boxd;
  }

  /** Its dataplane, with a token for commands and files. */
  public Endpoint endpoint() {
    return endpoint("exec fs_read fs_write");
  }

  /** The same with a token for terminals and processes as well. */
  public Endpoint all() {
    return endpoint("exec shell fs_read fs_write process");
  }

  /** What its process holds in memory now. */
  public long residentBytes() throws IOException {
    return Resident.bytes(process.pid());
  }

  private Endpoint endpoint(String scope) {
    return Endpoint.unix(folder.resolve("s"), "/v1", signer.token(ISSUER, SANDBOX, scope));
  }

  private static String config(Folder folder, Signer signer) {
    String workspace = folder.resolve("w").toString();
    return JSONObjectUtils.toJSONString(
        Map.of(
            "installation", INSTALLATION,
            "sandbox_id", SANDBOX,
            "generation", 1,
            "issuer", ISSUER,
            "keys", Map.of("keys", List.of(signer.publicKey())),
            "deadline_seconds", DEADLINE_SECONDS,
            "workspace", workspace,
            "home", workspace,
            "tmp", workspace));
  }

  private void configure() throws IOException {
    Waiting.until(
        PATIENCE_SECONDS,
        "boxd's socket " + folder.resolve("s"),
        () -> Files.exists(folder.resolve("s")) || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException("boxd ended by itself: " + Files.readString(folder.resolve("log")));
    }
    Endpoint admin = endpoint("admin");
    try (Connection connection = admin.connect()) {
      connection.call(admin.post("/control/configure", "{\"env\":{}}")).require(204);
    }
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    folder.close();
  }
}
