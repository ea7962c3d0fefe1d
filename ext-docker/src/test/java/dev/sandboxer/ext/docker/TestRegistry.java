package dev.sandboxer.ext.docker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;

/** A registry with one image, on this machine: an Engine fetches from there without TLS. */
final class TestRegistry implements AutoCloseable {
  private static final String TYPE = "application/vnd.docker.";
  private static final String MANIFEST = TYPE + "distribution.manifest.v2+json";

  private final HttpServer server;
  private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
  private volatile byte[] manifest = new byte[0];

  TestRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v2/", this::answer);
    server.start();
  }

  String image() {
    return "127.0.0.1:" + server.getAddress().getPort() + "/team/tool:1";
  }

  /** Puts an image with one layer and one variable under the tag. */
  void push(Tar files, String variable) throws IOException, GeneralSecurityException {
    byte[] layer = files.bytes();
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
      zip.write(layer);
    }
    byte[] config =
        json(
            Map.of(
                "architecture",
                System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64",
                "os",
                "linux",
                "config",
                Map.of("Env", List.of(variable)),
                "rootfs",
                Map.of("type", "layers", "diff_ids", List.of(digest(layer)))));
    manifest =
        json(
            Map.of(
                "schemaVersion",
                2,
                "mediaType",
                MANIFEST,
                "config",
                blob(TYPE + "container.image.v1+json", config),
                "layers",
                List.of(blob(TYPE + "image.rootfs.diff.tar.gzip", zipped.toByteArray()))));
  }

  private Map<String, Object> blob(String type, byte[] bytes) throws GeneralSecurityException {
    blobs.put(digest(bytes), bytes);
    return Map.of("mediaType", type, "size", bytes.length, "digest", digest(bytes));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    byte[] body = new byte[0];
    if (path.contains("/manifests/")) {
      exchange.getResponseHeaders().add("Content-Type", MANIFEST);
      body = manifest;
    } else if (path.contains("/blobs/")) {
      body = blobs.getOrDefault(path.substring(path.lastIndexOf('/') + 1), body);
    }
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.getResponseHeaders().add("Content-Length", String.valueOf(body.length));
    exchange.sendResponseHeaders(200, head || body.length == 0 ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  private static byte[] json(Object value) {
    return BoxdKey.json(value).getBytes(StandardCharsets.UTF_8);
  }

  private static String digest(byte[] bytes) throws GeneralSecurityException {
    return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
