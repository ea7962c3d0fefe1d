package dev.sandboxer.cli.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.script.Script.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the SDK goes, and what is said of a wrong call; what it is good for, the guide shows. */
class SdkTest {
  private static final String POM =
      """
      <project>
        <version>1.2</version>
        <version.junit>6</version.junit>
        <version.jspecify>1</version.jspecify>
      </project>
      """;

  @TempDir private Path top;
  private Script script;

  @BeforeEach
  void aBuiltCheckout() throws IOException {
    script = new Script(top).jdk("25.0.1", "java", "javac", "javadoc");
    // What `jar` would make stands for it: only the places are looked at here.
    Path jar = top.resolve("jvm/jdk-25.0.1/bin/jar");
    Files.writeString(jar, "#!/bin/sh\necho jar > \"$3\"\n");
    assertThat(jar.toFile().setExecutable(true)).isTrue();
    Files.writeString(script.folder().resolve("pom.xml"), POM);
    for (String module : new String[] {"core-api", "extension-tck"}) {
      write("%s/pom.xml".formatted(module));
      write("%s/src/main/java/x".formatted(module));
      write("%s/target/%s-1.2.jar".formatted(module, module));
    }
    for (String machine : new String[] {"amd64", "arm64"}) {
      write("dist/boxd/linux-%s/boxd".formatted(machine));
    }
    script.with("SANDBOXER_DIST", script.folder().resolve("dist").toString());
  }

  private void write(String name) throws IOException {
    Path file = script.folder().resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name);
  }

  @Test
  void itGoesWhereMavenWouldPutIt() throws Exception {
    assertInstalled(script.run("sdk", "install"), top.resolve(".m2/repository"));
    Files.createDirectories(top.resolve(".m2"));
    Files.writeString(
        top.resolve(".m2/settings.xml"),
        "<settings><localRepository>${user.home}/other</localRepository></settings>");
    assertInstalled(script.run("sdk", "install"), top.resolve("other"));
    script.with("MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=" + top.resolve("third"));
    assertInstalled(script.run("sdk", "install"), top.resolve("third"));
    assertInstalled(
        script.run("sdk", "install", "--repo", "mine"), script.folder().resolve("mine"));
  }

  private static void assertInstalled(Result result, Path repository) throws IOException {
    assertThat(result.code()).as(result.output()).isZero();
    assertThat(result.output()).contains("into " + repository).contains("<version>1.2</version>");
    Path ours = repository.resolve("dev/sandboxer");
    for (String file :
        new String[] {
          "core-api/1.2/core-api-1.2.jar",
          "core-api/1.2/core-api-1.2-sources.jar",
          "core-api/1.2/core-api-1.2-javadoc.jar",
          "extension-tck/1.2/extension-tck-1.2.jar",
          "boxd/1.2/boxd-1.2.jar"
        }) {
      assertThat(ours.resolve(file)).isRegularFile();
    }
    assertThat(Files.readString(ours.resolve("extension-tck/1.2/extension-tck-1.2.pom")))
        .contains("<artifactId>junit-jupiter</artifactId><version>6</version>")
        .doesNotContain("<parent>");
  }

  @Test
  void aWrongCallIsTold() throws Exception {
    Path file = Files.writeString(top.resolve("file"), "");
    assertTold(script.run("sdk", "remove"), 2, "unknown verb remove");
    assertTold(script.run("sdk", "install", "--where"), 2, "unknown option --where");
    assertTold(script.run("sdk", "install", "--repo"), 2, "--repo needs a folder");
    assertTold(
        script.run("sdk", "install", "--repo", file.resolve("x").toString()),
        1,
        "cannot be written; name another folder with --repo DIR");
    Files.delete(script.folder().resolve("extension-tck/pom.xml"));
    assertTold(script.run("sdk", "install"), 1, "needs the sources");
  }

  private static void assertTold(Result result, int code, String message) {
    assertThat(result.code()).as(result.output()).isEqualTo(code);
    assertThat(result.output()).contains(message);
  }
}
