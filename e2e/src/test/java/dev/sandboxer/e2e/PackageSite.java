package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.SimpleFileServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.net.ssl.SSLContext;

/**
 * One small package of each kind in a folder that is laid out as its index is, served by HTTP and
 * HTTPS.
 */
final class PackageSite implements AutoCloseable {

  private final Path root;
  private final HttpServer plain;
  private final HttpsServer secure;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  PackageSite(SSLContext tls) throws IOException {
    root = Files.createTempDirectory("sbxsite").toRealPath();
    HttpHandler files = SimpleFileServer.createFileHandler(root);
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    plain = HttpServer.create(loopback, 0);
    secure = HttpsServer.create(loopback, 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(tls));
    for (HttpServer server : List.of(plain, secure)) {
      server.createContext("/", files);
      server.setExecutor(threads);
      server.start();
    }
  }

  int httpPort() {
    return plain.getAddress().getPort();
  }

  int httpsPort() {
    return secure.getAddress().getPort();
  }

  void file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** For pip, at {@code /pypi/}: the server's list of a folder is what PEP 503 asks for. */
  void wheel(String name) throws IOException {
    String info = name + "-1.0.dist-info/";
    zip(
        "pypi/%s/%s-1.0-py3-none-any.whl".formatted(name.replace('_', '-'), name),
        Map.of(
            name + "/__init__.py",
            "print('hello from a wheel')\n",
            info + "METADATA",
            "Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n".formatted(name),
            info + "WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            info + "RECORD",
            "%s/__init__.py,,\n%sMETADATA,,\n%sWHEEL,,\n%sRECORD,,\n"
                .formatted(name, info, info, info)));
  }

  /** For npm, at {@code /npm}. The registry says where the tarball is. */
  void npmPackage(String name, String url) throws IOException, InterruptedException {
    file(
        "parts/package/package.json", "{\"name\": \"%s\", \"version\": \"1.0.0\"}".formatted(name));
    file("parts/package/index.js", "module.exports = 'hello from npm';\n");
    Path tarball = Files.createDirectories(root.resolve("npm-files")).resolve(name + ".tgz");
    run(root.resolve("parts"), "tar", "-czf", tarball.toString(), "package");
    String integrity = Base64.getEncoder().encodeToString(digest("SHA-512", tarball));
    file(
        "npm/" + name,
        """
        {"name": "%1$s", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
          "name": "%1$s", "version": "1.0.0",
          "dist": {"tarball": "%2$s/npm-files/%1$s.tgz", "integrity": "sha512-%3$s"}}}}
        """
            .formatted(name, url, integrity));
  }

  /** For Go, at {@code /go}. */
  void goModule(String module) throws IOException {
    String versions = "go/" + module + "/@v/";
    String mod = "module %s\n\ngo 1.21\n".formatted(module);
    file(versions + "list", "v1.0.0\n");
    file(versions + "v1.0.0.info", "{\"Version\": \"v1.0.0\"}");
    file(versions + "v1.0.0.mod", mod);
    String inside = module + "@v1.0.0/";
    zip(
        versions + "v1.0.0.zip",
        Map.of(
            inside + "go.mod",
            mod,
            inside + "hello.go",
            "package hello\n\nconst Text = \"hello from a module\"\n"));
  }

  /** A repository at {@code /NAME.git}, as files. */
  void gitRepository(String name) throws IOException, InterruptedException {
    String work = name + "-work";
    file(work + "/hello.txt", "hello from a repository\n");
    Path inside = root.resolve(work);
    run(inside, "git", "init", "-q");
    run(inside, "git", "add", "hello.txt");
    run(inside, "git", "-c", "user.name=e2e", "-c", "user.email=e@e", "commit", "-qm", "hello");
    run(root, "git", "clone", "-q", "--bare", work, name + ".git");
    run(root, "git", "-C", name + ".git", "update-server-info");
  }

  /** For apt: {@code deb [trusted=yes] URL/apt flat/}. */
  void debianPackage(String name) throws IOException, InterruptedException {
    String control =
        """
        Package: %s
        Version: 1.0
        Architecture: all
        Maintainer: e2e <e2e@e2e.example>
        Description: says hello
        """
            .formatted(name);
    file("deb/DEBIAN/control", control);
    Files.setPosixFilePermissions(
        root.resolve("deb/DEBIAN"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path deb = Files.createDirectories(root.resolve("apt/flat")).resolve(name + "_1.0_all.deb");
    run(root, "dpkg-deb", "--root-owner-group", "--build", "deb", deb.toString());
    file(
        "apt/flat/Packages",
        control
            + "Filename: flat/%s\nSize: %d\nSHA256: %s\n"
                .formatted(deb.getFileName(), Files.size(deb), sha256(deb)));
    Path packages = root.resolve("apt/flat/Packages");
    file(
        "apt/flat/Release",
        "Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n %s %d Packages\n"
            .formatted(sha256(packages), Files.size(packages)));
  }

  private void zip(String name, Map<String, String> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(UTF_8));
      }
    }
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes.toByteArray());
  }

  private static void run(Path folder, String... command) throws IOException, InterruptedException {
    var _ = Program.run(folder, Map.of(), List.of(command));
  }

  private static String sha256(Path file) throws IOException {
    return HexFormat.of().formatHex(digest("SHA-256", file));
  }

  private static byte[] digest(String algorithm, Path file) throws IOException {
    try {
      return MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    plain.stop(0);
    secure.stop(0);
    threads.close();
    Platform.remove(root);
  }
}
