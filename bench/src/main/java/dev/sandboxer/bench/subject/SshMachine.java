package dev.sandboxer.bench.subject;

import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** This machine as another one: behind an sshd of its own. */
public final class SshMachine implements AutoCloseable {

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
    String address = "ssh://%s@127.0.0.1:%d".formatted(SshServer.user(), server.port());
    Map<String, Object> credentials = Map.of("key", "file:" + server.key());
    new RegisteredHost(name, extension, address).register(api, credentials, all);
  }

  @Override
  public void close() throws IOException {
    server.close();
    folder.close();
  }
}
