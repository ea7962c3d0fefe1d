package dev.sandboxer.bench.subject;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A Docker Engine, asked as its own command line would ask it, with nothing in between. */
public record DockerEngine(Endpoint api) {

  private static final String SCHEME = "unix://";
  private static final String CLOSE = "Connection: close";
  private static final String TRUE =
      """
      {"Cmd":["true"],"AttachStdout":true,"AttachStderr":true}""";

  /** The one at {@code unix:///path}. */
  public static DockerEngine at(String host) {
    Path socket = Path.of(host.startsWith(SCHEME) ? host.substring(SCHEME.length()) : host);
    return new DockerEngine(Endpoint.unix(socket, "/v1.41", ""));
  }

  /** Where it listens. */
  public Path socket() {
    return ((UnixDomainSocketAddress) api.address()).getPath();
  }

  /** Creates a container without network, and starts it; its id. */
  public String createAndStart(Connection connection, String image) throws IOException {
    return createAndStart(connection, image, false);
  }

  /** The same where the Engine has no part in what network there is: a loopback. */
  public String createAndStartBare(Connection connection, String image) throws IOException {
    return createAndStart(connection, image, true);
  }

  private String createAndStart(Connection connection, String image, boolean bare)
      throws IOException {
    String container =
        """
        {"Image": "%s", "Cmd": ["sleep", "3600"], "NetworkDisabled": %s,
         "HostConfig": {"NetworkMode": "none"}}"""
            .formatted(image, bare);
    String id = connection.call(api.post("/containers/create", container)).require(201).field("Id");
    connection.call(api.post("/containers/" + id + "/start", "")).require(204);
    return id;
  }

  /** As {@code docker rm -f}. */
  public void remove(Connection connection, String id) throws IOException {
    connection.call(api.delete("/containers/" + id + "?force=1&v=1")).require(204);
  }

  /** Runs {@code true} to its end: made on a kept connection, run on one of its own. */
  public void execTrue(Connection connection, String id) throws IOException {
    run(connection, id, TRUE);
  }

  /** What a shell's command prints, in bytes with the stream's frames. */
  public long exec(Connection connection, String id, String command) throws IOException {
    String words = "[\"sh\",\"-c\",\"" + command + "\"]";
    return run(
        connection, id, "{\"Cmd\":" + words + ",\"AttachStdout\":true,\"AttachStderr\":true}");
  }

  private long run(Connection connection, String id, String body) throws IOException {
    String exec =
        connection.call(api.post("/containers/" + id + "/exec", body)).require(201).field("Id");
    String start = "{\"Detach\":false,\"Tty\":false}";
    try (Connection stream = api.connect()) {
      return stream.drain(api.post("/exec/" + exec + "/start", start, CLOSE));
    }
  }

  /** As {@code docker cp} out of it: bytes of the archive. */
  public long copyOut(String id, String path) throws IOException {
    try (Connection stream = api.connect()) {
      return stream.drain(api.get("/containers/" + id + "/archive?path=" + path, CLOSE));
    }
  }

  /** As {@code docker cp} into it: an archive of this many bytes. */
  public void copyIn(String id, String folder, ByteBuffer head, ByteBuffer block, long length)
      throws IOException {
    try (Connection stream = api.connect()) {
      ByteBuffer request =
          api.put("/containers/" + id + "/archive?path=" + folder, head, length, CLOSE);
      stream.upload(request, block, length - head.remaining()).require(200);
    }
  }
}
