package dev.sandboxer.bench.subject;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** This machine as another one: behind an sshd of its own. */
public final class SshMachine implements AutoCloseable {

  private static final int TRIAL_SECONDS = 60;

  private final Folder folder;
  private final SshServer server;

  private SshMachine(Folder folder, SshServer server) {
    this.folder = folder;
    this.server = server;
  }

  /** Starts its sshd. */
  public static SshMachine start() throws IOException {
    Folder folder = Folder.onDisk();
    return new SshMachine(folder, new SshServer(folder.resolve("ssh")));
  }

  /** The sshd. */
  public SshServer server() {
    return server;
  }

  /** Where files of a run may be; it goes away with the machine. */
  public Path folder() {
    return folder.path();
  }

  /**
   * Registers it as a host of an extension; returns once a trial of it has passed.
   *
   * @param settings besides the pinned host key
   */
  public void register(Endpoint api, String name, String extension, Map<String, Object> settings)
      throws IOException {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("host_key", List.of(server.fingerprint()));
    String body =
        JSONObjectUtils.toJSONString(
            Map.of(
                "name",
                name,
                "extension",
                extension,
                "address",
                "ssh://%s@127.0.0.1:%d".formatted(SshServer.user(), server.port()),
                "credentials",
                Map.of("key", "file:" + server.key()),
                "settings",
                all));
    try (Connection connection = api.connect()) {
      var _ = connection.call(api.post("/v1/hosts", body)).require(201);
      ByteBuffer get = api.get("/v1/hosts/" + name);
      Waiting.until(TRIAL_SECONDS, "host " + name, () -> tried(connection, get, extension));
    }
  }

  private static boolean tried(Connection connection, ByteBuffer get, String extension) {
    try {
      Map<String, Object> host = connection.call(get).require(200).json();
      return "ready".equals(host.get("state"))
          && host.get("probe") instanceof Map<?, ?> probe
          && probe.containsKey(extension);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    folder.close();
  }
}
