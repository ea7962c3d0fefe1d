package dev.sandboxer.cli.extension;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A jar of an extension or a sink, compiled when a test runs, with what is wrong with it. */
final class ExtensionJar {
  private static final String SERVICE =
      "META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider";
  private static final String SOURCE =
      """
      package sample;
      import dev.sandboxer.spi.*;
      import java.time.Duration;
      import java.util.Set;
      public final class Provider implements SandboxExtensionProvider {
        @CONSTRUCTOR@
        public ExtensionDescriptor descriptor() {
          return ExtensionDescriptor.builder("ext.sample", Names.VERSION, @API@)
              .isolationLevels(Set.of(IsolationLevel.PROCESS))
              .networkModes(Set.of(NetworkMode.NONE))
              .architectures(Set.of("amd64"))
              .boxd(BoxdPlacement.INIT)
              .identity(IdentityMode.UNIQUE_NAME)
              .lateEffectWindow(Duration.ZERO)
              .build();
        }
        public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
            throws ExtensionException {
          @CREATE@
        }
      }
      class Names {
        static final String VERSION = String.valueOf("1.2.3");
      }
      """;

  private static final String MADE =
      """
      context.boxd("linux", "amd64");
      return (SandboxExtension) java.lang.reflect.Proxy.newProxyInstance(
          Provider.class.getClassLoader(),
          new Class<?>[] {SandboxExtension.class},
          (proxy, method, arguments) -> null);
      """;

  static final String SINK_SERVICE = "META-INF/services/dev.sandboxer.spi.sink.EventSinkProvider";
  private static final String SINK =
      """
      package sample;
      import dev.sandboxer.spi.ExtensionConfig;
      import dev.sandboxer.spi.sink.*;
      import java.util.Set;
      public final class Sink implements EventSinkProvider {
        public String kind() {
          @KIND@
        }
        @SETTINGS@
        public EventSink create(ExtensionConfig config) {
          throw new IllegalStateException("check creates nothing");
        }
      }
      """;

  private final Map<String, byte[]> entries = new TreeMap<>();
  private final Path classes;

  private ExtensionJar(Path classes) {
    this.classes = classes;
  }

  static ExtensionJar sound(Path folder) throws IOException {
    return compiled(folder, "", "ExtensionDescriptor.API_VERSION");
  }

  static ExtensionJar compiled(Path folder, String constructor, String api) throws IOException {
    return compiled(folder, constructor, api, MADE);
  }

  /** One whose method {@code create} has this body. */
  static ExtensionJar creating(Path folder, String create) throws IOException {
    return compiled(folder, "", "ExtensionDescriptor.API_VERSION", create);
  }

  private static ExtensionJar compiled(Path folder, String constructor, String api, String create)
      throws IOException {
    return ofClass(
            folder,
            "Provider",
            SOURCE
                .replace("@CONSTRUCTOR@", constructor)
                .replace("@API@", api)
                .replace("@CREATE@", create))
        .with(SERVICE, "sample.Provider\n");
  }

  /** A sink, with the body of its method {@code kind} and perhaps a method {@code settings}. */
  static ExtensionJar sink(Path folder, String kind, String settings) throws IOException {
    return ofClass(folder, "Sink", SINK.replace("@KIND@", kind).replace("@SETTINGS@", settings))
        .with(SINK_SERVICE, "sample.Sink\n");
  }

  private static ExtensionJar ofClass(Path folder, String name, String code) throws IOException {
    Path classes = Files.createTempDirectory(folder, "classes");
    Path source = Files.createDirectories(classes.resolve("sample")).resolve(name + ".java");
    Files.writeString(source, code);
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                source.toString());
    if (status != 0) {
      throw new IllegalStateException("the sample does not compile");
    }
    Files.delete(source);
    return new ExtensionJar(classes).withClasses();
  }

  /** With everything of another jar. */
  ExtensionJar and(ExtensionJar other) {
    entries.putAll(other.entries);
    return this;
  }

  private ExtensionJar withClasses() throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.put(classes.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return this;
  }

  ExtensionJar with(String name, String text) {
    return with(name, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  ExtensionJar with(String name, byte[] content) {
    entries.put(name, content.clone());
    return this;
  }

  ExtensionJar service(String text) {
    return with(SERVICE, text);
  }

  ExtensionJar without(String name) {
    entries.remove(name);
    return this;
  }

  /** A class file of another Java: major and minor stand in its first bytes. */
  ExtensionJar classFile(String name, int minor, int major) {
    byte[] bytes =
        entries.entrySet().stream()
            .filter(entry -> entry.getKey().endsWith(".class"))
            .findFirst()
            .orElseThrow()
            .getValue()
            .clone();
    bytes[4] = (byte) (minor >> 8);
    bytes[5] = (byte) minor;
    bytes[6] = (byte) (major >> 8);
    bytes[7] = (byte) major;
    return with(name, bytes);
  }

  Path into(Path folder) throws IOException {
    Files.createDirectories(folder);
    Path jar = folder.resolve("sample.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        packed.putNextEntry(new JarEntry(entry.getKey()));
        packed.write(entry.getValue());
        packed.closeEntry();
      }
    }
    for (Path path : new Path[] {folder, jar}) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return jar;
  }
}
