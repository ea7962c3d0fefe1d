package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.testing.BuiltBoxd;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyPurpose;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.spi.DataplaneAddress;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** boxd as a plain process on a Unix socket, with its workspace in a temporary folder. */
final class RealBoxd implements AutoCloseable {

  private final Path folder;
  private final Process process;

  private RealBoxd(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  static RealBoxd start(KeyRing keys, Issuer issuer, String sandboxId, int generation) {
    try {
      Path folder = Files.createTempDirectory("bxd");
      Path workspace = Files.createDirectory(folder.resolve("workspace"));
      Path config = folder.resolve("boxd.json");
      JsonObject json =
          new JsonObject()
              .put("installation", issuer.installation())
              .put("sandbox_id", "sb_" + sandboxId)
              .put("generation", generation)
              .put("issuer", issuer.urn())
              .put("keys", new JsonObject(keys.jwks(KeyPurpose.RELAY)))
              .put("deadline_seconds", 600)
              .put("workspace", workspace.toString())
              .put("home", workspace.toString())
              .put("tmp", "/tmp");
      Files.writeString(config, json.encode());
      Process process =
          new ProcessBuilder(
                  BuiltBoxd.binary().toString(),
                  "serve",
                  "--config",
                  config.toString(),
                  "--listen",
                  "unix:" + folder.resolve("s"),
                  "--seccomp=off")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      return new RealBoxd(folder, process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  DataplaneAddress address() {
    return new DataplaneAddress.UnixSocket(folder.resolve("s"));
  }

  Path workspace() {
    return folder.resolve("workspace");
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
