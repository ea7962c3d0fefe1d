package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.testing.BuiltBoxd;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyPurpose;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.spi.DataplaneAddress;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** boxd as a plain process, with its workspace in a temporary folder. */
final class RealBoxd implements AutoCloseable {

  private static final Pattern LISTENING =
      Pattern.compile("\"address\":\"tcp:127\\.0\\.0\\.1:([0-9]+)\"");

  private final Path folder;
  private final Process process;

  private final DataplaneAddress address;

  private RealBoxd(Path folder, Process process, DataplaneAddress address) {
    this.folder = folder;
    this.process = process;
    this.address = address;
  }

  static RealBoxd start(KeyRing keys, Issuer issuer, SandboxId sandboxId, int generation) {
    return start(Via.UNIX, keys, issuer, sandboxId, generation);
  }

  static RealBoxd start(Via via, KeyRing keys, Issuer issuer, SandboxId sandboxId, int generation) {
    return start(via, TestCertificates.ALL, keys, issuer, sandboxId, generation);
  }

  static RealBoxd start(
      Via via,
      BoxdCertificates certificates,
      KeyRing keys,
      Issuer issuer,
      SandboxId sandboxId,
      int generation) {
    try {
      Path folder = Files.createTempDirectory("bxd");
      Path workspace = Files.createDirectory(folder.resolve("workspace"));
      Path config = folder.resolve("boxd.json");
      JsonObject json =
          new JsonObject()
              .put("installation", issuer.installation())
              .put("sandbox_id", sandboxId.publicId())
              .put("generation", generation)
              .put("issuer", issuer.urn())
              .put("keys", new JsonObject(keys.jwks(KeyPurpose.RELAY)))
              .put("deadline_seconds", 600)
              .put("workspace", workspace.toString())
              .put("home", workspace.toString())
              .put("tmp", "/tmp");
      if (via == Via.TLS) {
        BoxdCertificates.Pair pair = certificates.pair(sandboxId, generation);
        json.put(
            "tls", new JsonObject().put("certificate", pair.certificate()).put("key", pair.key()));
      }
      Files.writeString(config, json.encode());
      Path socket = folder.resolve("s");
      Path log = folder.resolve("log");
      Process process =
          new ProcessBuilder(
                  BuiltBoxd.binary().toString(),
                  "serve",
                  "--config",
                  config.toString(),
                  "--listen",
                  via == Via.UNIX ? "unix:" + socket : "tcp:127.0.0.1:0",
                  "--seccomp=off")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      SocketAddress at =
          via == Via.UNIX
              ? UnixDomainSocketAddress.of(socket)
              : new InetSocketAddress(InetAddress.getLoopbackAddress(), portIn(log));
      return new RealBoxd(folder, process, via.address(at));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The kernel chooses it, boxd reports it. */
  private static int portIn(Path log) {
    AtomicInteger port = new AtomicInteger();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              Matcher found = LISTENING.matcher(Files.readString(log));
              return found.find() && port.addAndGet(Integer.parseInt(found.group(1))) > 0;
            });
    return port.get();
  }

  DataplaneAddress address() {
    return address;
  }

  Path workspace() {
    return folder.resolve("workspace");
  }

  /** Ends boxd alone: what runs in it goes on. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() throws IOException {
    kill();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
