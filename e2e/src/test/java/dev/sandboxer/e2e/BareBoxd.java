package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.TokenForge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import org.awaitility.Awaitility;

/**
 * The distribution's boxd as a plain process, without platform and relay, with a key of the test's
 * own. A small forwarder stands before its Unix socket, so that ordinary HTTP clients reach it.
 */
final class BareBoxd implements AutoCloseable {

  private static final String ID = "sb_b0000000000000000000";
  private static final String ISSUER = "urn:sandboxer:bare";
  private static final String ALL = "exec shell fs_read fs_write process port";
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final Path folder;
  private final KeyPair keys;
  private final Process process;
  private final ServerSocketChannel listener;

  private BareBoxd(Path folder, KeyPair keys, Process process, ServerSocketChannel listener) {
    this.folder = folder;
    this.keys = keys;
    this.process = process;
    this.listener = listener;
  }

  static BareBoxd start() {
    try {
      Path folder = Files.createTempDirectory("sbxb");
      Path workspace = Files.createDirectory(folder.resolve("workspace"));
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair keys = generator.generateKeyPair();
      Files.writeString(folder.resolve("boxd.json"), config(workspace, keys));
      Process process =
          new ProcessBuilder(
                  Platform.dist().resolve("boxd/linux-" + architecture() + "/boxd").toString(),
                  "serve",
                  "--config",
                  folder.resolve("boxd.json").toString(),
                  "--listen",
                  "unix:" + folder.resolve("s"),
                  "--seccomp=off")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(folder.resolve("s")));
      BareBoxd bare = new BareBoxd(folder, keys, process, forwarder(folder.resolve("s")));
      bare.configure();
      return bare;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  private static String config(Path workspace, KeyPair keys) {
    ObjectNode config = Api.JSON.createObjectNode();
    config.put("installation", "bare").put("sandbox_id", ID).put("generation", 1);
    config.put("issuer", ISSUER).put("deadline_seconds", 600);
    config.put("workspace", workspace.toString()).put("home", workspace.toString());
    config.put("tmp", "/tmp");
    config.putObject("keys").putArray("keys").add(jwk(keys));
    return config.toString();
  }

  private static ObjectNode jwk(KeyPair keys) {
    ECPublicKey key = (ECPublicKey) keys.getPublic();
    ObjectNode jwk = Api.JSON.createObjectNode();
    jwk.put("kty", "EC").put("crv", "P-256").put("kid", "k1").put("alg", "ES256").put("use", "sig");
    jwk.put("x", number(key.getW().getAffineX())).put("y", number(key.getW().getAffineY()));
    return jwk;
  }

  private static String number(BigInteger value) {
    byte[] bytes = value.toByteArray();
    byte[] fixed = new byte[32];
    int length = Math.min(32, bytes.length);
    System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
    return BASE64.encodeToString(fixed);
  }

  /** Everything but health waits for the first configure. */
  private void configure() {
    Api.Reply reply =
        new Api(URI.create("http://127.0.0.1:" + port()), token("admin"))
            .post("/v1/control/configure", "{}");
    if (reply.status() / 100 != 2) {
      throw new AssertionError(reply.toString());
    }
  }

  Api.Dataplane dataplane() {
    String base = "http://127.0.0.1:" + port();
    return new Api.Dataplane(new Api(URI.create(base), token(ALL)), base + "/v1");
  }

  private int port() {
    return listener.socket().getLocalPort();
  }

  private String token(String scope) {
    return forge(scope).good();
  }

  /** Signs as the relay does, with the key that this boxd trusts. */
  TokenForge forge() {
    return forge(ALL);
  }

  private TokenForge forge(String scope) {
    long now = Instant.now().getEpochSecond();
    ObjectNode head = Api.JSON.createObjectNode();
    head.put("alg", "ES256").put("typ", "at+jwt").put("kid", "k1");
    ObjectNode claims = Api.JSON.createObjectNode();
    claims.put("iss", ISSUER).put("sub", "relay").put("aud", "urn:sandboxer:boxd:" + ID);
    claims.put("gen", 1).put("epoch", 1).put("scope", scope);
    claims.put("jti", UUID.randomUUID().toString());
    claims.put("iat", now - 1).put("nbf", now - 1).put("exp", now + 59);
    return new TokenForge(keys.getPrivate(), jwk(keys).toString(), head, claims);
  }

  private static ServerSocketChannel forwarder(Path socket) throws IOException {
    ServerSocketChannel listener =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
    var _ = Thread.ofVirtual().start(() -> accept(listener, socket));
    return listener;
  }

  private static void accept(ServerSocketChannel listener, Path socket) {
    try {
      while (true) {
        SocketChannel client = listener.accept();
        SocketChannel boxd = SocketChannel.open(StandardProtocolFamily.UNIX);
        boxd.connect(UnixDomainSocketAddress.of(socket));
        var _ = Thread.ofVirtual().start(() -> copy(client, boxd));
        var _ = Thread.ofVirtual().start(() -> copy(boxd, client));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    try {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          var _ = to.write(buffer);
        }
      }
      to.shutdownOutput();
    } catch (IOException e) {
      Arrays.asList(from, to).forEach(BareBoxd::drop);
    }
  }

  private static void drop(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      process.destroyForcibly().onExit().join();
      Platform.remove(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
