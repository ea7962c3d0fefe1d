package dev.sandboxer.platform.extension;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles an extension when a test runs, so that nothing of it is on the test's class path. */
public final class SampleJar {

  private static final String PROVIDER =
      """
      package sample;
      import dev.sandboxer.spi.*;
      import java.time.Duration;
      import java.util.*;
      public final class Provider implements SandboxExtensionProvider {
        @CONSTRUCTOR@
        public ExtensionDescriptor descriptor() {
          return ExtensionDescriptor.builder("@ID@", "1.2.3", @API@)
              .isolationLevels(Set.of(IsolationLevel.PROCESS, IsolationLevel.CONTAINER))
              .networkModes(Set.of(NetworkMode.NONE))
              .limits(Set.of(Limit.MEMORY, Limit.PIDS))
              .architectures(Set.of("amd64", "arm64"))
              .boxd(BoxdPlacement.INIT)
              .identity(IdentityMode.UNIQUE_NAME)
              .lateEffectWindow(Duration.ZERO)
              @DECLARED@
              .build();
        }
        public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
            throws ExtensionException {
          @CREATE@
          return new Sample(config, context);
        }
      }
      """;

  private static final String SAMPLE =
      """
      package sample;
      import dev.sandboxer.spi.*;
      import java.util.*;
      public final class Sample implements SandboxExtension, Probing {
        private final ExtensionConfig config;
        private final ExtensionContext context;
        Sample(ExtensionConfig config, ExtensionContext context) {
          this.config = config;
          this.context = context;
        }
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          switch (request.host().id()) {
            case "down": throw new ExtensionException(ErrorCode.UNAVAILABLE, "it is down");
            case "full": throw new ExtensionException(ErrorCode.CAPACITY, "it is full");
            case "defect": throw new IllegalStateException("a defect");
            default: return SandboxHandle.of(1, request.identity().name());
          }
        }
        public Reachability waitReady(SandboxHandle handle, Call call) {
          return Reachability.withoutDataplane(handle.data());
        }
        public Inspection inspect(SandboxHandle handle, Call call) {
          return new Inspection.Unknown(Thread.currentThread().getContextClassLoader().getName());
        }
        public List<SandboxHandle> find(SandboxIdentity identity, Call call) { return List.of(); }
        public CleanupReport teardown(TeardownTarget target, Call call) {
          return CleanupReport.NOTHING;
        }
        public InventoryPage inventory(InventoryQuery query, Call call) {
          return new InventoryPage("sample", true, List.of(), null);
        }
        public MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException {
          @ESTIMATE@
        }
        public Probe probe(HostRef host, Call call) {
          return new Probe(true, Set.of(), List.of(
              new Check("config", true, config.get("answer", "none"), null),
              new Check("state", true, context.stateFolder().toString(), null),
              new Check("run", true, context.runFolder().toString(), null),
              new Check("setting", true, setting(), null),
              new Check("installation", true, context.installation(), null),
              new Check("jdbi", sees("org.jdbi.v3.core.Jdbi"), "", null),
              new Check("sql", sees("java.sql.Connection"), "", null)));
        }
        private String setting() {
          try {
            return context.setting("api_key");
          } catch (IllegalArgumentException e) {
            return e.getMessage();
          }
        }
        private static boolean sees(String name) {
          try {
            Class.forName(name);
            return true;
          } catch (ClassNotFoundException e) {
            return false;
          }
        }
        public void close() {}
      }
      """;

  private String id = "ext.sample";
  private String api = "ExtensionDescriptor.API_VERSION";
  private String constructor = "";
  private String create = "";
  private String declared = "";
  private String estimate = "return MeterQuote.free();";
  private boolean named = true;
  private boolean whole = true;

  public SampleJar id(String value) {
    id = value;
    return this;
  }

  SampleJar apiVersion(int value) {
    api = Integer.toString(value);
    return this;
  }

  SampleJar constructor(String code) {
    constructor = "public Provider() { " + code + " }";
    return this;
  }

  SampleJar create(String code) {
    create = code;
    return this;
  }

  /** Further calls of the descriptor's builder. */
  public SampleJar declared(String code) {
    declared = code;
    return this;
  }

  /** The body of {@code estimateCost}, which may use {@code query}, {@code call} and context. */
  public SampleJar estimate(String code) {
    estimate = code;
    return this;
  }

  SampleJar withoutService() {
    named = false;
    return this;
  }

  SampleJar withoutItsSecondClass() {
    whole = false;
    return this;
  }

  /** Compiles and packs into {@code folder/sample.jar}. */
  public Path into(Path folder) throws IOException {
    Files.createDirectories(folder);
    Path classes = Files.createTempDirectory("sample");
    compile(classes);
    Path jar = folder.resolve("sample.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out)) {
      pack(packed, classes);
    }
    for (Path path : List.of(folder, jar)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return folder;
  }

  private void pack(JarOutputStream packed, Path classes) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (whole || !file.endsWith("Sample.class")) {
          entry(packed, classes.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
    }
    if (named) {
      String service = "META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider";
      entry(packed, service, "sample.Provider".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void entry(JarOutputStream packed, String name, byte[] content)
      throws IOException {
    packed.putNextEntry(new JarEntry(name));
    packed.write(content);
    packed.closeEntry();
  }

  private void compile(Path classes) {
    String provider =
        PROVIDER
            .replace("@ID@", id)
            .replace("@API@", api)
            .replace("@CONSTRUCTOR@", constructor)
            .replace("@CREATE@", create)
            .replace("@DECLARED@", declared);
    String sample = SAMPLE.replace("@ESTIMATE@", estimate);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options =
        List.of(
            "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none");
    List<JavaFileObject> sources = List.of(source("Provider", provider), source("Sample", sample));
    if (!compiler.getTask(null, null, null, options, null, sources).call()) {
      throw new IllegalStateException("the sample does not compile");
    }
  }

  private static JavaFileObject source(String name, String code) {
    URI uri = URI.create("memory:///sample/" + name + ".java");
    return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return code;
      }
    };
  }
}
